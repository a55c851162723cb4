// Host groups and hosts with problems, the worst first, as the server counts them: with many problems the page
// need not have them all.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fetchLoads, type Loads as LoadsAnswer, type SeverityCounts } from "@/api/overview-loads";
import { keys } from "@/api/query-keys";
import { plural, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, severityName } from "@/lib/severity";
import { formatCount } from "@/lib/units";
import { Panel } from "@/ui/page";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, FailedState, LoadingState } from "@/ui/states";
import { Age } from "@/ui/times";
import classes from "./overview.module.css";

// as long as the figures of the server wait at most, more or less
const REFRESH_MS = 4000;

export function Loads() {
  const { data, error, refetch } = useQuery({
    queryKey: keys.overviewLoads,
    queryFn: ({ signal }) => fetchLoads(signal),
    refetchInterval: REFRESH_MS,
  });
  if (data !== undefined) return <LoadedLoads loads={data} />;
  return (
    <Panel title={t("Hosts with problems")} label={t("Hosts with problems")}>
      {error === null ? (
        <LoadingState />
      ) : (
        <FailedState error={error} onRetry={() => void refetch()} />
      )}
    </Panel>
  );
}

function LoadedLoads({ loads }: { readonly loads: LoadsAnswer }) {
  return (
    <>
      <Panel
        title={t("Host groups with problems")}
        label={t("Host groups with problems")}
        actions={<span className="dim">{plural(loads.groups_total, "1 group", "{n} groups")}</span>}
      >
        <LoadTable last={t("Hosts")} isEmpty={loads.groups.length === 0}>
          {loads.groups.map((group) => (
            <tr key={group.groupid}>
              <td className="ellipsis">
                <Link to="/problems" search={{ groups: group.groupid }} title={group.name}>
                  {group.name}
                </Link>
              </td>
              <Counts counts={group.counts} name={group.name} search={{ groups: group.groupid }} />
              <td className="num dim">
                {t("{n} of {all}", {
                  n: formatCount(group.hosts),
                  all: formatCount(group.hosts_total),
                })}
              </td>
            </tr>
          ))}
        </LoadTable>
      </Panel>
      <Panel
        title={t("Hosts with problems")}
        label={t("Hosts with problems")}
        actions={<span className="dim">{plural(loads.hosts_total, "1 host", "{n} hosts")}</span>}
      >
        <LoadTable last={t("Since")} isEmpty={loads.hosts.length === 0}>
          {loads.hosts.map((host) => (
            <tr key={host.hostid}>
              <td className="ellipsis">
                <Link to="/hosts/$hostid" params={{ hostid: host.hostid }}>
                  {host.host}
                </Link>
              </td>
              <Counts counts={host.counts} name={host.host} search={{ hosts: host.hostid }} />
              <td className="num dim">
                <Age since={host.since} />
              </td>
            </tr>
          ))}
        </LoadTable>
      </Panel>
    </>
  );
}

interface LoadTableProps {
  readonly last: string;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

function LoadTable({ last, isEmpty, children }: LoadTableProps) {
  if (isEmpty) return <EmptyState title={t("No problems")} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["loads"]}>
        <thead>
          <tr>
            <th scope="col">{t("Name")}</th>
            {SEVERITIES_WORST_FIRST.map((severity) => (
              <th key={severity} scope="col">
                <SeverityMark severity={severity} />
              </th>
            ))}
            <th scope="col">{last}</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface CountsProps {
  readonly counts: SeverityCounts;
  readonly name: string;
  readonly search: { readonly groups?: string; readonly hosts?: string };
}

/** Cells that lead to the problems that they count. */
function Counts({ counts, name, search }: CountsProps) {
  return SEVERITIES_WORST_FIRST.map((severity) => {
    const n = counts[severity] ?? 0;
    return (
      <td key={severity}>
        {n === 0 ? null : (
          <Link
            to="/problems"
            search={{ ...search, sev: String(severity) }}
            className={classes["count"]}
            data-severity={severity}
            aria-label={t("{n} of severity {severity}: {name}", {
              n,
              severity: severityName(severity),
              name,
            })}
          >
            {formatCount(n)}
          </Link>
        )}
      </td>
    );
  });
}
