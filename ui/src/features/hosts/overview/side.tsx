// Next to the values of a host: its problems and events, where it is, what it is.

import { Link } from "@tanstack/react-router";
import type { HostProblem } from "@/api/host-overview";
import { INVENTORY_FIELDS } from "@/api/inventory";
import type { Host, HostEvent, Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import { Panel } from "@/ui/page";
import { SeverityMark } from "@/ui/severity-mark";
import { QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import { Age, Instant } from "@/ui/times";
import { interfaceAddress } from "../availability";
import { useInventory } from "../queries";
import classes from "./overview.module.css";
import { PROBLEMS_SHOWN, useHostEvents, useHostProblems, useHostState } from "./queries";

export function MaintenanceNote({ hostid }: { readonly hostid: Id }) {
  const { data } = useHostState(hostid);
  if (data?.maintenance_status !== "1") return null;
  return (
    <p className={classes["maintenance"]} role="status">
      <strong>{t("In maintenance")}</strong> {t("since")}{" "}
      <Instant seconds={Number(data.maintenance_from)} />
      {data.maintenance_type === "1" ? `; ${t("no data is collected")}` : null}.{" "}
      <Link to="/maintenance">{t("All maintenance")}</Link>
    </p>
  );
}

export function Problems({ hostid }: { readonly hostid: Id }) {
  const query = useHostProblems(hostid);
  const n = query.data?.length ?? 0;
  return (
    <Panel
      title={
        n === PROBLEMS_SHOWN ? t("Problems ({n} and more)", { n }) : t("Problems ({n})", { n })
      }
      label={t("Open problems")}
      actions={
        <Link to="/hosts/$hostid/problems" params={{ hostid }}>
          {t("All")}
        </Link>
      }
    >
      <QueryGate query={query}>
        {(problems) =>
          problems.length === 0 ? (
            <p className={classes["nothing"]}>{t("No open problems.")}</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            <ul className={classes["lines"]} tabIndex={0}>
              {problems.map((problem) => (
                <ProblemLine key={problem.eventid} hostid={hostid} problem={problem} />
              ))}
            </ul>
          )
        }
      </QueryGate>
    </Panel>
  );
}

interface ProblemLineProps {
  readonly hostid: Id;
  readonly problem: HostProblem;
}

function ProblemLine({ hostid, problem }: ProblemLineProps) {
  const { eventid, severity, name, clock, acknowledged, suppressed } = problem;
  return (
    <li>
      <SeverityMark severity={toSeverity(severity)} size={14} />
      <Link
        className="ellipsis"
        to="/hosts/$hostid/problems"
        params={{ hostid }}
        search={{ event: eventid }}
        title={name}
      >
        {name}
      </Link>
      <span className="dim">
        {suppressed === "1" ? `${t("suppressed")} ` : null}
        {acknowledged === "1" ? `${t("ack")} ` : null}
        <Age since={Number(clock)} />
      </span>
    </li>
  );
}

export function Events({ hostid }: { readonly hostid: Id }) {
  const query = useHostEvents(hostid);
  return (
    <Panel title={t("Recent events")} label={t("Recent events")}>
      <QueryGate query={query}>
        {(events) =>
          events.length === 0 ? (
            <p className={classes["nothing"]}>{t("No events yet.")}</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            <ul className={classes["lines"]} tabIndex={0}>
              {events.map((event) => (
                <EventLine key={event.eventid} event={event} />
              ))}
            </ul>
          )
        }
      </QueryGate>
    </Panel>
  );
}

function EventLine({ event }: { readonly event: HostEvent }) {
  const { eventid, severity, name, clock, value } = event;
  return (
    <li>
      {value === "1" ? (
        <SeverityMark severity={toSeverity(severity)} size={14} />
      ) : (
        <span className="ok" title={t("Resolved")}>
          ✓<span className="unseen">{t("Resolved")}</span>
        </span>
      )}
      <Link className="ellipsis" to="/events/$eventid" params={{ eventid }} title={name}>
        {name}
      </Link>
      <span className="dim">
        <Instant seconds={Number(clock)} />
      </span>
    </li>
  );
}

export function Facts({ host }: { readonly host: Host }) {
  return (
    <Panel
      title={t("Host")}
      label={t("Host")}
      actions={
        <Link to="/hosts/$hostid/configuration" params={{ hostid: host.hostid }}>
          {t("Configuration")}
        </Link>
      }
    >
      <dl className={classes["facts"]}>
        <dt>{t("Technical name")}</dt>
        <dd>{host.host}</dd>
        <dt>{t("Interfaces")}</dt>
        <dd>
          {host.interfaces.length === 0
            ? "–"
            : host.interfaces.map((it) => (
                <div key={it.interfaceid ?? interfaceAddress(it)}>{interfaceAddress(it)}</div>
              ))}
        </dd>
        <dt>{t("Groups")}</dt>
        <dd>{host.hostgroups.map((it) => it.name).join(", ")}</dd>
        <dt>{t("Templates")}</dt>
        <dd>
          {host.parentTemplates.length === 0
            ? "–"
            : host.parentTemplates.map(({ templateid, name }) => (
                <div key={templateid}>
                  <Link to="/templates/$templateid" params={{ templateid }}>
                    {name}
                  </Link>
                </div>
              ))}
        </dd>
        {host.tags.length === 0 ? null : (
          <>
            <dt>{t("Tags")}</dt>
            <dd>
              <TagList tags={pairsOf(host.tags)} max={20} wrap />
            </dd>
          </>
        )}
        {host.description === "" ? null : (
          <>
            <dt>{t("Description")}</dt>
            <dd className={classes["description"]}>{host.description}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

/** Fields with a value; without any there is no panel. */
export function Inventory({ hostid }: { readonly hostid: Id }) {
  const { data } = useInventory(hostid);
  const filled = INVENTORY_FIELDS.filter(({ name }) => (data?.texts[name] ?? "") !== "");
  if (filled.length === 0) return null;
  return (
    <Panel
      title={t("Inventory")}
      label={t("Inventory")}
      actions={
        <Link to="/hosts/$hostid/inventory" params={{ hostid }}>
          {t("All")}
        </Link>
      }
    >
      <dl className={classes["facts"]}>
        {filled.map(({ name, title }) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{title}</dt>
            <dd className={classes["description"]}>{data?.texts[name]}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
