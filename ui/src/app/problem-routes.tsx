import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { ProblemSearch } from "@/features/problems/filter";
import { ProblemsPage } from "@/features/problems/problems-page";

export function ProblemsRoute() {
  const search = useSearch({ from: "/shell/problems" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: ProblemSearch) => void navigate({ to: "/problems", search: next, replace: true }),
    [navigate],
  );
  return <ProblemsPage search={search} onSearch={onSearch} />;
}

export function HostProblemsRoute() {
  const search = useSearch({ from: "/shell/hosts/$hostid/problems" });
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/problems" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: ProblemSearch) =>
      void navigate({
        to: "/hosts/$hostid/problems",
        params: { hostid },
        search: next,
        replace: true,
      }),
    [navigate, hostid],
  );
  return <ProblemsPage search={search} onSearch={onSearch} hostid={hostid} />;
}
