import { useNavigate, useSearch } from "@tanstack/react-router";
import { DiscoveredPage } from "./discovered-page";

export function DiscoveredRoute() {
  const { q = "", rule, status } = useSearch({ from: "/shell/discovered" });
  const navigate = useNavigate();
  return (
    <DiscoveredPage
      filter={{ text: q, rule, status }}
      onFilter={(filter) =>
        void navigate({
          to: "/discovered",
          search: {
            ...(filter.text === "" ? {} : { q: filter.text }),
            ...(filter.rule === undefined ? {} : { rule: filter.rule }),
            ...(filter.status === undefined ? {} : { status: filter.status }),
          },
          replace: true,
        })
      }
    />
  );
}
