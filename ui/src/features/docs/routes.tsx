import { useParams } from "@tanstack/react-router";
import { GuidePage } from "./guide-page";

export function GuideRoute() {
  const { page } = useParams({ strict: false });
  return <GuidePage name={page} />;
}
