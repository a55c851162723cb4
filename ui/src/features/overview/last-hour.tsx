// What changed in the last hour: problems that began and ended, the configuration, and who was notified.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fetchAlertsSince } from "@/api/alerts";
import { fetchChangesSince } from "@/api/audit";
import { countEventsSince, fetchEventsSince, PROBLEM, RECOVERY } from "@/api/events";
import { keys } from "@/api/query-keys";
import type { HostEvent } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import { formatCount } from "@/lib/units";
import { Panel } from "@/ui/page";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { Instant } from "@/ui/times";
import { auditActionName, auditResourceName } from "@/widgets/audit/names";
import classes from "./overview.module.css";
import { notifiedOf } from "./summary";

const HOUR = 3600;
const REFRESH_MS = 15_000;
const EVENTS_MAX = 50;
const CHANGES_MAX = 50;
// of more than this in an hour the newest count
const ALERTS_MAX = 5_000;

const hourAgo = () => Math.floor(Date.now() / 1000) - HOUR;

export function LastHour({ isSuperAdmin }: { readonly isSuperAdmin: boolean }) {
  return (
    <>
      <Events />
      <Notified />
      {isSuperAdmin ? <Changes /> : null}
    </>
  );
}

function Events() {
  const query = useQuery({
    queryKey: keys.eventsSince,
    queryFn: async ({ signal }) => {
      const since = hourAgo();
      const [begun, ended, events] = await Promise.all([
        countEventsSince(PROBLEM, since, signal),
        countEventsSince(RECOVERY, since, signal),
        fetchEventsSince(since, EVENTS_MAX, signal),
      ]);
      return { begun, ended, events };
    },
    refetchInterval: REFRESH_MS,
  });
  return (
    <Panel title={t("The last hour")} label={t("The last hour")}>
      <QueryGate query={query}>
        {({ begun, ended, events }) => (
          <>
            <p className={classes["figures"]}>
              <span>{plural(begun, "1 problem started", "{n} problems started")}</span>
              <span>{plural(ended, "1 problem resolved", "{n} problems resolved")}</span>
            </p>
            {events.length === 0 ? (
              <EmptyState title={t("No problems started or were resolved.")} />
            ) : (
              <Lines label={t("Started and resolved problems")}>
                {events.map((event) => (
                  <EventLine key={event.eventid} event={event} />
                ))}
              </Lines>
            )}
          </>
        )}
      </QueryGate>
    </Panel>
  );
}

interface LinesProps {
  readonly label: string;
  readonly children: ReactNode;
  /** where the rest is, below the lines */
  readonly more?: ReactNode;
}

function Lines({ label, children, more }: LinesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <ul className={classes["lines"]} aria-label={label}>
        {children}
      </ul>
      {more}
    </div>
  );
}

function EventLine({ event }: { readonly event: HostEvent }) {
  const began = event.value === "1";
  const [host] = event.hosts;
  return (
    <li>
      <Instant seconds={Number(event.clock)} />
      {began ? (
        <SeverityMark severity={toSeverity(event.severity)} />
      ) : (
        <span className="ok">{t("OK")}</span>
      )}
      {host === undefined ? null : (
        <Link
          to="/hosts/$hostid"
          params={{ hostid: host.hostid }}
          className={`ellipsis ${classes["of"]}`}
          title={host.name}
        >
          {host.name}
        </Link>
      )}
      <Link
        to="/events/$eventid"
        params={{ eventid: event.eventid }}
        className="ellipsis"
        title={event.name}
      >
        {event.name}
      </Link>
    </li>
  );
}

function Notified() {
  const query = useQuery({
    queryKey: keys.alertsSince,
    queryFn: async ({ signal }) =>
      notifiedOf(await fetchAlertsSince(hourAgo(), ALERTS_MAX, signal)),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Panel title={t("Notifications")} label={t("Notifications")}>
      <QueryGate query={query}>
        {(notified) =>
          notified.length === 0 ? (
            <EmptyState title={t("No notifications in the last hour.")} />
          ) : (
            <Lines label={t("Notifications")}>
              {notified.map(({ who, sent, waiting, failed, last }) => (
                <li key={who}>
                  <Instant seconds={last} />
                  <strong className="ellipsis">{who}</strong>
                  <span>{t("{n} sent", { n: formatCount(sent) })}</span>
                  {waiting === 0 ? null : (
                    <span className="dim">{t("{n} waiting", { n: formatCount(waiting) })}</span>
                  )}
                  {failed === 0 ? null : (
                    <span className="bad">{t("{n} failed", { n: formatCount(failed) })}</span>
                  )}
                </li>
              ))}
            </Lines>
          )
        }
      </QueryGate>
    </Panel>
  );
}

function Changes() {
  const query = useQuery({
    queryKey: keys.auditSince,
    queryFn: ({ signal }) => fetchChangesSince(hourAgo(), CHANGES_MAX, signal),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Panel
      title={t("Configuration changes")}
      label={t("Configuration changes")}
      actions={
        <Link to="/audit" search={{ within: String(HOUR) }}>
          {t("All in the audit log")}
        </Link>
      }
    >
      <QueryGate query={query}>
        {(changes) =>
          changes.length === 0 ? (
            <EmptyState title={t("Nothing was changed in the last hour.")} />
          ) : (
            <Lines
              label={t("Configuration changes")}
              more={
                changes.length < CHANGES_MAX ? null : (
                  <Link to="/audit" search={{ within: String(HOUR) }}>
                    {t("The newest {n} are shown. Show all of the last hour", { n: CHANGES_MAX })}
                  </Link>
                )
              }
            >
              {changes.map((it) => (
                <li key={it.auditid}>
                  <Instant seconds={Number(it.clock)} />
                  <strong>{it.username}</strong>
                  <span>{auditActionName(it.action)}</span>
                  <span className="dim">{auditResourceName(it.resourcetype)}</span>
                  <Link
                    to="/audit"
                    search={{ q: it.resourcename, type: it.resourcetype }}
                    className="ellipsis"
                    title={it.resourcename}
                  >
                    {it.resourcename}
                  </Link>
                </li>
              ))}
            </Lines>
          )
        }
      </QueryGate>
    </Panel>
  );
}
