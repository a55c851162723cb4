import { useSearch } from "@tanstack/react-router";
import { AlertsPage } from "./alerts-page";

export function AlertsRoute() {
  const { digest } = useSearch({ from: "/shell/alerts" });
  return <AlertsPage digestid={digest} />;
}
