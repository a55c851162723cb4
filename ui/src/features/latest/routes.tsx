import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { GraphSearch } from "./graph";
import { GraphPage } from "./graph-page";
import { HistoryPage } from "./history-page";
import { LatestPage } from "./latest-page";
import type { LatestSearch } from "./search";

export function LatestRoute() {
  const search = useSearch({ from: "/shell/latest" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: LatestSearch) => void navigate({ to: "/latest", search: next, replace: true }),
    [navigate],
  );
  return <LatestPage search={search} onSearch={onSearch} />;
}

export function HostLatestRoute() {
  const search = useSearch({ from: "/shell/hosts/$hostid/latest" });
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/latest" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: LatestSearch) =>
      void navigate({
        to: "/hosts/$hostid/latest",
        params: { hostid },
        search: next,
        replace: true,
      }),
    [navigate, hostid],
  );
  return <LatestPage search={search} onSearch={onSearch} hostid={hostid} />;
}

export function LatestGraphRoute() {
  const search = useSearch({ from: "/shell/latest/graph" });
  const navigate = useNavigate();
  return (
    <GraphPage
      search={search}
      onSearch={(next: GraphSearch) =>
        void navigate({ to: "/latest/graph", search: next, replace: true })
      }
    />
  );
}

export function HistoryRoute() {
  const search = useSearch({ from: "/shell/latest/history" });
  const navigate = useNavigate();
  return (
    <HistoryPage
      search={search}
      onSearch={(next) => void navigate({ to: "/latest/history", search: next, replace: true })}
    />
  );
}
