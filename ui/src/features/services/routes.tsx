import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ServicePage } from "./service-page";
import { ServicesPage } from "./services-page";

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
