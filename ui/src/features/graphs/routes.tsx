import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { GraphPage } from "./graph-page";
import { GraphsPage } from "./graphs-page";

export function GraphsRoute() {
  const search = useSearch({ from: "/shell/graphs" });
  const navigate = useNavigate();
  return (
    <GraphsPage
      search={search}
      onSearch={(next) => void navigate({ to: "/graphs", search: next, replace: true })}
      onOpen={(graphid) => void navigate({ to: "/graphs/$graphid", params: { graphid } })}
    />
  );
}

export function GraphRoute() {
  const { graphid } = useParams({ from: "/shell/graphs/$graphid" });
  const search = useSearch({ from: "/shell/graphs/$graphid" });
  const navigate = useNavigate();
  return (
    <GraphPage
      key={graphid}
      graphid={graphid}
      search={search}
      onSearch={(next) =>
        void navigate({ to: "/graphs/$graphid", params: { graphid }, search: next, replace: true })
      }
    />
  );
}
