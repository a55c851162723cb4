import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { changed } from "@/api/changes";
import { ACKNOWLEDGE } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";
import type { EventAcknowledge, EventUrl, Id, ProblemEvent } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { t } from "@/lib/i18n";
import { safeUrl } from "@/lib/link";
import { formatAge, formatDateTime } from "@/lib/time";
import { SeverityLabel } from "@/ui/severity-mark";
import { SidePanel } from "@/ui/side-panel";
import { QueryGate } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import { TagList } from "@/ui/tags";
import { Age } from "@/ui/times";
import { describeUpdate } from "@/widgets/event-update";
import { Explanation } from "@/widgets/explain/explanation";
import { PROBLEM_ACTIONS, useMayAct } from "@/widgets/role";
import { ScriptMenu } from "@/widgets/scripts/script-menu";
import { ProblemItems } from "./problem-items";
import classes from "./problems.module.css";
import { useAcknowledge, useEvent, useTriggerEvents, useTriggerOf } from "./queries";
import { triggerUrl } from "./trigger-url";

export interface ProblemPanelProps {
  readonly problem: ProblemRow;
  readonly onClose: () => void;
  readonly onAcknowledge: (problem: ProblemRow) => void;
  readonly onTag: (tag: TagPair) => void;
  readonly onOpen: (eventid: Id) => void;
}

export function ProblemPanel(props: ProblemPanelProps) {
  return (
    <SidePanel title={props.problem.name} onClose={props.onClose}>
      <ProblemDetails key={props.problem.eventid} {...props} />
    </SidePanel>
  );
}

function ProblemDetails({ problem, onAcknowledge, onTag, onOpen }: ProblemPanelProps) {
  const { rClock, clock, hostid } = problem;
  const event = useEvent(problem.eventid);
  const events = useTriggerEvents(problem.objectid);
  return (
    <div className={classes["details"]}>
      <div className={classes["detailsHead"]}>
        <SeverityLabel severity={problem.severity} />
        <strong className={rClock > 0 ? "ok" : "bad"}>
          {rClock > 0 ? t("Resolved") : t("Problem")}
        </strong>
        <Actions problem={problem} onUpdate={() => onAcknowledge(problem)} />
      </div>
      <dl className={classes["facts"]}>
        <Fact name={t("Host")}>
          <Link to="/hosts/$hostid" params={{ hostid }}>
            {problem.host}
          </Link>
        </Fact>
        <Fact name={t("Since")}>
          {formatDateTime(clock)} (<Age since={clock} until={rClock > 0 ? rClock : undefined} />)
        </Fact>
        {rClock > 0 ? <Fact name={t("Resolved")}>{formatDateTime(rClock)}</Fact> : null}
        {problem.opdata === "" ? null : <Fact name={t("Operational data")}>{problem.opdata}</Fact>}
        <Fact name={t("Tags")}>
          {problem.tags.length === 0 ? (
            "–"
          ) : (
            <TagList tags={problem.tags} onPick={onTag} max={20} wrap />
          )}
        </Fact>
      </dl>
      <h3>{t("Values")}</h3>
      <ProblemItems problem={problem} />
      <h3>{t("Trigger")}</h3>
      <TriggerFacts problem={problem} />
      <EventLinks urls={event.data?.urls ?? []} />
      <Explain eventid={problem.eventid} />
      <h3>{t("Updates")}</h3>
      <QueryGate query={event}>{(it) => <Updates updates={it?.acknowledges ?? []} />}</QueryGate>
      <h3>{t("Event history")}</h3>
      <QueryGate query={events}>
        {(list) => <EventHistory events={list} current={problem.eventid} onOpen={onOpen} />}
      </QueryGate>
    </div>
  );
}

/** Asked for once it is unfolded: it reads history. */
function Explain({ eventid }: { readonly eventid: Id }) {
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className={classes["explain"]}>{t("Explain")}</summary>
      {opened ? <Explanation eventid={eventid} /> : null}
    </details>
  );
}

interface ActionsProps {
  readonly problem: ProblemRow;
  readonly onUpdate: () => void;
}

function Actions({ problem: { eventid, hostid, acknowledged }, onUpdate }: ActionsProps) {
  const client = useQueryClient();
  const mutation = useAcknowledge(() => void changed(client, "event"));
  const may = useMayAct();
  return (
    <span className={classes["actions"]}>
      {acknowledged || !may("acknowledge_problems") ? null : (
        <Button
          size="compact-xs"
          variant="default"
          loading={mutation.isPending}
          onClick={() => mutation.mutate({ eventids: [eventid], action: ACKNOWLEDGE.acknowledge })}
        >
          {t("Acknowledge")}
        </Button>
      )}
      {PROBLEM_ACTIONS.some(may) ? (
        <Button size="compact-xs" variant="default" onClick={onUpdate}>
          {t("Update")}
        </Button>
      ) : null}
      <ScriptMenu hostid={hostid} eventid={eventid} />
      <Link to="/events/$eventid" params={{ eventid }}>
        {t("Event page")}
      </Link>
    </span>
  );
}

interface TriggerLinkProps {
  readonly url: string | undefined;
  readonly name: string;
}

function TriggerLink({ url, name }: TriggerLinkProps) {
  const safe = url === undefined ? undefined : safeUrl(url);
  if (safe === undefined) return null;
  return (
    <p>
      <a href={safe} target="_blank" rel="noreferrer">
        {name === "" ? t("Trigger URL") : name}
      </a>
    </p>
  );
}

/** What webhooks add to the menu of the event: tickets, incidents, chats. */
export function EventLinks({ urls }: { readonly urls: readonly EventUrl[] }) {
  return urls.map(({ url, name }) => (
    <TriggerLink key={`${name} ${url}`} url={url} name={name === "" ? url : name} />
  ));
}

export function TriggerFacts({ problem }: { readonly problem: ProblemRow }) {
  const { objectid, hostid } = problem;
  const trigger = useTriggerOf(objectid);
  return (
    <QueryGate query={trigger}>
      {(it) =>
        it === null ? (
          <p className="dim">{t("The trigger no longer exists or you have no access to it.")}</p>
        ) : (
          <>
            <Link to="/hosts/$hostid/triggers/$triggerid" params={{ hostid, triggerid: objectid }}>
              {it.description}
            </Link>
            <pre className={classes["expression"]}>{it.expression}</pre>
            {it.recovery_mode === "1" ? (
              <pre className={classes["expression"]}>{it.recovery_expression}</pre>
            ) : null}
            {it.comments === "" ? null : <p>{it.comments}</p>}
            <TriggerLink url={triggerUrl(it.url, problem)} name={it.url_name} />
          </>
        )
      }
    </QueryGate>
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

function Updates({ updates }: { readonly updates: readonly EventAcknowledge[] }) {
  if (updates.length === 0) return <p className="dim">{t("This problem has no updates.")}</p>;
  return (
    <ul className={classes["updates"]}>
      {updates.map((update) => (
        <li key={update.acknowledgeid}>
          <span className="dim">
            {formatDateTime(Number(update.clock))} {update.username}
          </span>{" "}
          {describeUpdate(update)}
          {update.message === "" ? null : <blockquote>{update.message}</blockquote>}
        </li>
      ))}
    </ul>
  );
}

interface EventHistoryProps {
  readonly events: readonly ProblemEvent[];
  readonly current: string;
  readonly onOpen: (eventid: Id) => void;
}

/** Problems of the trigger with how long each lasted; recoveries are the end of their problem. */
export function EventHistory({ events, current, onOpen }: EventHistoryProps) {
  const ends = new Map(events.map((event) => [event.eventid, Number(event.clock)]));
  const problems = events.filter((event) => event.value === "1");
  return (
    <table className={classes["history"]} aria-label={t("Event history")}>
      <tbody>
        {problems.map((event) => {
          const end = ends.get(event.r_eventid);
          const open = event.r_eventid === "0";
          return (
            <tr key={event.eventid} aria-current={event.eventid === current || undefined}>
              <td>
                <StatusDot tone={open ? "bad" : "ok"} label={open ? t("Problem") : t("Resolved")} />
              </td>
              <td>
                <button
                  type="button"
                  className={classes["look"]}
                  onClick={() => onOpen(event.eventid)}
                >
                  {formatDateTime(Number(event.clock))}
                </button>
              </td>
              <td className="num">
                {open ? <Age since={Number(event.clock)} /> : null}
                {end === undefined ? null : formatAge(end - Number(event.clock))}
              </td>
              <td className="dim">{event.acknowledged === "1" ? t("acknowledged") : ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
