// Triggers by their problems, states of triggers, and messages sent, as widgets of dashboards list them.

import { type Severity, toSeverity } from "@/lib/severity";
import { OF_TRIGGERS } from "./events";
import { ALERT } from "./generated/alert";
import { EVENT } from "./generated/event";
import { TRIGGER } from "./generated/trigger";
import { readerOf } from "./objects";
import type { Id } from "./types";
import type { TagCondition } from "./widgets";

// events looked at for the order
const EVENTS_MAX = 10_000;
const PROBLEMS = readerOf(EVENT, {
  output: ["eventid", "objectid"],
  params: {
    ...OF_TRIGGERS,
    value: [1],
    sortfield: ["clock", "eventid"],
    sortorder: "DESC",
    limit: EVENTS_MAX,
  },
});
const TRIGGERS = readerOf(TRIGGER, {
  output: ["triggerid", "description", "priority", "value"],
  selects: { hosts: ["hostid", "name"] },
  params: { expandDescription: true },
});

export interface TopTrigger {
  readonly triggerid: Id;
  readonly name: string;
  readonly severity: Severity;
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
  readonly count: number;
}

export interface TopTriggersQuery {
  readonly hostids?: readonly Id[] | undefined;
  readonly groupids?: readonly Id[] | undefined;
  readonly severities?: readonly number[] | undefined;
  readonly tags?: readonly TagCondition[] | undefined;
  readonly evaltype?: number | undefined;
  readonly name?: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly lines: number;
}

/** Most problems first. */
export async function fetchTopTriggers(
  query: TopTriggersQuery,
  signal?: AbortSignal,
): Promise<readonly TopTrigger[]> {
  const { hostids = [], groupids = [], severities = [], tags = [], name = "" } = query;
  const events = await PROBLEMS.get(
    {
      time_from: Math.floor(query.from),
      time_till: Math.ceil(query.to),
      ...(hostids.length === 0 ? {} : { hostids }),
      ...(groupids.length === 0 ? {} : { groupids }),
      ...(severities.length === 0 ? {} : { severities }),
      ...(tags.length === 0 ? {} : { tags, evaltype: query.evaltype ?? 0 }),
      ...(name === "" ? {} : { search: { name } }),
    },
    signal,
  );
  const counts = new Map<Id, number>();
  for (const { objectid } of events) counts.set(objectid, (counts.get(objectid) ?? 0) + 1);
  const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, query.lines);
  if (top.length === 0) return [];
  const triggerids = top.map(([triggerid]) => triggerid);
  const triggers = await TRIGGERS.get({ triggerids }, signal);
  const byId = new Map(triggers.map((it) => [it.triggerid, it]));
  return top.flatMap(([triggerid, count]) => {
    const it = byId.get(triggerid);
    if (it === undefined) return [];
    const { description, priority, hosts } = it;
    return [{ triggerid, name: description, severity: toSeverity(priority), hosts, count }];
  });
}

export interface TriggerState {
  readonly triggerid: Id;
  readonly name: string;
  readonly severity: Severity;
  readonly isProblem: boolean;
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
}

export interface TriggersQuery {
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  readonly tags: readonly TagCondition[];
  readonly evaltype: number;
  readonly onlyProblems: boolean;
  readonly limit: number;
}

export async function fetchTriggerStates(
  query: TriggersQuery,
  signal?: AbortSignal,
): Promise<readonly TriggerState[]> {
  const { hostids, groupids, tags, evaltype, onlyProblems, limit } = query;
  const found = await TRIGGERS.get(
    {
      ...(hostids.length === 0 ? {} : { hostids }),
      ...(groupids.length === 0 ? {} : { groupids }),
      ...(tags.length === 0 ? {} : { tags, evaltype }),
      ...(onlyProblems ? { filter: { value: 1 } } : {}),
      monitored: true,
      sortfield: "description",
      limit,
    },
    signal,
  );
  return found.map(({ triggerid, description, priority, value, hosts }) => ({
    triggerid,
    name: description,
    severity: toSeverity(priority),
    isProblem: value === "1",
    hosts,
  }));
}

const ALERTS = readerOf(ALERT, {
  output: ["alertid", "clock", "sendto", "subject", "message", "status", "error"],
  selects: { mediatypes: ["name"], users: ["username"] },
  params: { sortfield: "clock", sortorder: "DESC" },
});

export interface SentAlert {
  readonly alertid: Id;
  readonly clock: number;
  readonly to: string;
  readonly media: string;
  readonly user: string;
  readonly subject: string;
  readonly message: string;
  /** 0 not sent yet, 1 sent, 2 failed, 3 new */
  readonly status: string;
  readonly error: string;
}

export interface AlertsQuery {
  readonly userids: readonly Id[];
  readonly actionids: readonly Id[];
  readonly mediatypeids: readonly Id[];
  readonly statuses: readonly string[];
  readonly message: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Newest first. */
export async function fetchSentAlerts(
  query: AlertsQuery,
  signal?: AbortSignal,
): Promise<readonly SentAlert[]> {
  const { userids, actionids, mediatypeids, statuses, message, limit } = query;
  const found = await ALERTS.get(
    {
      ...(userids.length === 0 ? {} : { userids }),
      ...(actionids.length === 0 ? {} : { actionids }),
      ...(mediatypeids.length === 0 ? {} : { mediatypeids }),
      ...(statuses.length === 0 ? {} : { filter: { status: statuses } }),
      ...(message === "" ? {} : { search: { message } }),
      time_from: Math.floor(query.from),
      time_till: Math.ceil(query.to),
      limit,
    },
    signal,
  );
  return found.map((it) => ({
    alertid: it.alertid,
    clock: Number(it.clock),
    to: it.sendto,
    media: it.mediatypes[0]?.name ?? "",
    user: it.users[0]?.username ?? "",
    subject: it.subject,
    message: it.message,
    status: it.status,
    error: it.error,
  }));
}
