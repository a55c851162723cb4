import { useNavigate, useParams, useRouteContext } from "@tanstack/react-router";
import { browserZone } from "@/lib/zone";
import { SlaPage } from "./sla-page";
import { SlaReportPage } from "./sla-report-page";

export function SlaRoute() {
  const { slaid } = useParams({ from: "/shell/sla/$slaid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <SlaPage
      slaid={slaid}
      serverZone={user.serverZone ?? browserZone()}
      onDone={() => void navigate({ to: "/sla", ignoreBlocker: true })}
    />
  );
}

export function SlaReportRoute() {
  const { slaid } = useParams({ from: "/shell/sla/$slaid/report" });
  const { user } = useRouteContext({ from: "/shell" });
  return <SlaReportPage slaid={slaid} serverZone={user.serverZone ?? browserZone()} />;
}
