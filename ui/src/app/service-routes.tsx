import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { ServicePage } from "@/features/services/service-page";
import { ServicesPage } from "@/features/services/services-page";
import { SlaPage } from "@/features/sla/sla-page";
import { SlaReportPage } from "@/features/sla/sla-report-page";
import { SlasPage } from "@/features/sla/slas-page";
import { browserZone } from "@/lib/zone";

export function ServicesRoute() {
  const { q = "", show = "all" } = useSearch({ from: "/shell/services" });
  const navigate = useNavigate();
  const search = (next: { q: string; show: string }) =>
    void navigate({
      to: "/services",
      search: {
        ...(next.q === "" ? {} : { q: next.q }),
        ...(next.show === "problems" ? { show: next.show } : {}),
      },
      replace: true,
    });
  return (
    <ServicesPage
      text={q}
      onText={(text) => search({ q: text, show })}
      onlyProblems={show === "problems"}
      onOnlyProblems={(only) => search({ q, show: only ? "problems" : "all" })}
    />
  );
}

export function ServiceRoute() {
  const { serviceid } = useParams({ from: "/shell/services/$serviceid" });
  const { parent } = useSearch({ from: "/shell/services/$serviceid" });
  const navigate = useNavigate();
  return (
    <ServicePage
      serviceid={serviceid}
      parent={parent}
      onDone={() => void navigate({ to: "/services", ignoreBlocker: true })}
    />
  );
}

export function SlasRoute() {
  const { q = "" } = useSearch({ from: "/shell/sla" });
  const navigate = useNavigate();
  return (
    <SlasPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/sla", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

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
