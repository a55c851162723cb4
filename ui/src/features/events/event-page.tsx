// One event: what it is about, what happened to it in order, its cause and its symptoms.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type EventName, fetchWholeEvent, type WholeEvent } from "@/api/event-details";
import { EVENT } from "@/api/generated/event";
import { keys } from "@/api/query-keys";
import { fetchShownTrigger } from "@/api/triggers";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import { formatAge, formatDateTime } from "@/lib/time";
import { Page, Panel } from "@/ui/page";
import { SeverityLabel, SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { TagList } from "@/ui/tags";
import { Age } from "@/ui/times";
import { Explanation } from "@/widgets/explain/explanation";
import classes from "./events.module.css";
import { sourceName, timelineOf } from "./timeline";

const { TRIGGER } = EVENT.fields.source.names;
// messages are sent and updates made while one looks
const EVENT_MS = 10_000;

export interface EventPageProps {
  readonly eventid: Id;
  /** what can be done with its problem */
  readonly actions: ReactNode;
  /** what there is to know of its problem beyond the event itself */
  readonly panels: ReactNode;
}

export function EventPage({ eventid, actions, panels }: EventPageProps) {
  const query = useQuery({
    queryKey: keys.wholeEvent(eventid),
    queryFn: async ({ signal }) => (await fetchWholeEvent(eventid, signal)) ?? null,
    refetchInterval: EVENT_MS,
  });
  const name = query.data?.event.name ?? "";
  return (
    <Page title={name === "" ? t("Event {id}", { id: eventid }) : name} actions={actions} scroll>
      <QueryGate query={query}>
        {(whole) =>
          whole === null ? (
            <EmptyState title={t("There is no such event.")}>
              {t("It has expired or belongs to a host you cannot access.")}
            </EmptyState>
          ) : (
            <Whole whole={whole} panels={panels} />
          )
        }
      </QueryGate>
    </Page>
  );
}

interface WholeProps {
  readonly whole: WholeEvent;
  readonly panels: ReactNode;
}

function Whole({ whole, panels }: WholeProps) {
  const { cause, symptoms } = whole;
  return (
    <div className={classes["grid"]}>
      <div className={classes["column"]}>
        <Panel title={t("Event")} label={t("Event")}>
          <Facts whole={whole} />
        </Panel>
        <Panel title={t("Explain")} label={t("Explain")}>
          <Explanation eventid={whole.event.eventid} />
        </Panel>
      </div>
      <div className={classes["column"]}>
        <Panel title={t("Timeline")} label={t("Timeline")}>
          <Timeline whole={whole} />
        </Panel>
        {cause === undefined ? null : (
          <Panel title={t("Its cause")} label={t("Its cause")}>
            <Events events={[cause]} />
          </Panel>
        )}
        {symptoms.length === 0 ? null : (
          <Panel title={t("Its symptoms")} label={t("Its symptoms")}>
            <Events events={symptoms} />
          </Panel>
        )}
        {panels}
      </div>
    </div>
  );
}

function Facts({ whole: { event, end, begin } }: { readonly whole: WholeEvent }) {
  const { eventid, clock, opdata } = event;
  const [host] = event.hosts;
  const isOfTrigger = event.source === TRIGGER;
  const tags = event.tags.map(({ tag, value }) => [tag, value] as [string, string]);
  return (
    <dl className={classes["facts"]}>
      <Fact name={t("Status")}>
        <Status event={event} />
      </Fact>
      <Fact name={t("Severity")}>
        <SeverityLabel severity={toSeverity(event.severity)} />
      </Fact>
      {host === undefined ? null : (
        <Fact name={t("Host")}>
          <Link to="/hosts/$hostid" params={{ hostid: host.hostid }}>
            {host.name}
          </Link>
        </Fact>
      )}
      {isOfTrigger && host !== undefined ? (
        <Fact name={t("Trigger")}>
          <Link
            to="/hosts/$hostid/triggers/$triggerid"
            params={{ hostid: host.hostid, triggerid: event.objectid }}
          >
            <TriggerName triggerid={event.objectid} />
          </Link>
        </Fact>
      ) : (
        <Fact name={t("Event source")}>{sourceName(event.source)}</Fact>
      )}
      <Fact name={event.value === "0" ? t("Time") : t("Since")}>
        {formatDateTime(Number(clock))}
        {event.value === "0" ? null : (
          <>
            {" "}
            (<Age since={Number(clock)} until={end === undefined ? undefined : Number(end.clock)} />
            )
          </>
        )}
      </Fact>
      {begin === undefined ? null : (
        <Fact name={t("Resolved problem")}>
          <Link to="/events/$eventid" params={{ eventid: begin.eventid }}>
            {begin.name}
          </Link>{" "}
          {t("after {age}", { age: formatAge(Number(clock) - Number(begin.clock)) })}
        </Fact>
      )}
      {opdata === "" ? null : <Fact name={t("Operational data")}>{opdata}</Fact>}
      <Fact name={t("Acknowledged")}>{event.acknowledged === "1" ? t("yes") : t("no")}</Fact>
      {event.suppression_data.map((it) => (
        <Fact key={`${it.maintenanceid} ${it.userid}`} name={t("Suppressed")}>
          {it.maintenanceid === "0" ? t("by a user") : t("by maintenance")}
          {it.suppress_until === "0"
            ? ""
            : ` ${t("until {time}", { time: formatDateTime(Number(it.suppress_until)) })}`}
        </Fact>
      ))}
      <Fact name={t("Tags")}>
        {tags.length === 0 ? "–" : <TagList tags={tags} max={50} wrap />}
      </Fact>
      <Fact name={t("Event ID")}>{eventid}</Fact>
      {isOfTrigger && event.value !== "0" ? (
        <Fact name={t("Problems")}>
          <Link to="/problems" search={{ event: eventid }}>
            {t("Show in the list of problems")}
          </Link>
        </Fact>
      ) : null}
    </dl>
  );
}

/** Its number until the name is there, and where it is gone. */
function TriggerName({ triggerid }: { readonly triggerid: Id }) {
  const { data } = useQuery({
    queryKey: keys.shownTrigger(triggerid),
    queryFn: async ({ signal }) => (await fetchShownTrigger(triggerid, signal)) ?? null,
  });
  return data?.description ?? t("Trigger {id}", { id: triggerid });
}

function Status({ event }: { readonly event: WholeEvent["event"] }) {
  if (event.value === "0") return <strong className="ok">{t("Resolved")}</strong>;
  return event.r_eventid === "0" ? (
    <strong className="bad">{t("Problem")}</strong>
  ) : (
    <strong className="ok">{t("Resolved")}</strong>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Timeline({ whole }: { readonly whole: WholeEvent }) {
  return (
    <ol className={classes["timeline"]}>
      {timelineOf(whole).map((it) => (
        <li key={it.key}>
          <span className="dim">{formatDateTime(it.clock)}</span>
          <span className={it.tone === "plain" ? "" : it.tone}>{it.text}</span>
          {it.note === "" ? null : <span className={classes["note"]}>{it.note}</span>}
        </li>
      ))}
    </ol>
  );
}

function Events({ events }: { readonly events: readonly EventName[] }) {
  return (
    <ul className={classes["events"]}>
      {events.map(({ eventid, name, clock, severity, r_eventid }) => (
        <li key={eventid}>
          <SeverityMark severity={toSeverity(severity)} />
          <Link to="/events/$eventid" params={{ eventid }}>
            {name}
          </Link>
          <span className="dim">{formatDateTime(Number(clock))}</span>
          {r_eventid === "0" ? null : <span className="ok">{t("Resolved")}</span>}
        </li>
      ))}
    </ul>
  );
}
