import { useParams } from "@tanstack/react-router";
import { ReferencePage } from "./reference-page";

export function ReferenceRoute() {
  const { object } = useParams({ strict: false });
  return <ReferencePage object={object} />;
}
