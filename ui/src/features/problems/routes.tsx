import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { ProblemSearch } from "./filter";
import { ProblemsPage } from "./problems-page";

/**
 * Writes an address without the router, which would render the pages again for it: typing does not wait for that. The
 * router is notified when the typing pauses.
 */
function writeAddress(href: string): void {
  History.prototype.replaceState.call(window.history, window.history.state, "", href);
}

export function ProblemsRoute() {
  const search = useSearch({ from: "/shell/problems" });
  const navigate = useNavigate();
  const router = useRouter();
  const onSearch = useCallback(
    (next: ProblemSearch) => void navigate({ to: "/problems", search: next, replace: true }),
    [navigate],
  );
  const onAddress = useCallback(
    (next: ProblemSearch) =>
      writeAddress(router.buildLocation({ to: "/problems", search: next }).href),
    [router],
  );
  return <ProblemsPage search={search} onSearch={onSearch} onAddress={onAddress} />;
}

export function HostProblemsRoute() {
  const search = useSearch({ from: "/shell/hosts/$hostid/problems" });
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/problems" });
  const navigate = useNavigate();
  const router = useRouter();
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
  const onAddress = useCallback(
    (next: ProblemSearch) =>
      writeAddress(
        router.buildLocation({ to: "/hosts/$hostid/problems", params: { hostid }, search: next })
          .href,
      ),
    [router, hostid],
  );
  return <ProblemsPage search={search} onSearch={onSearch} onAddress={onAddress} hostid={hostid} />;
}
