// Events and what users say about them.

import type { TagPair } from "@/lib/columns";
import { toSeverity } from "@/lib/severity";
import { EVENT } from "./generated/event";
import { type AnswerOf, readerOf } from "./objects";
import type { ProblemRow } from "./problem-table";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** Events of triggers; other sources have events of their own. */
export const OF_TRIGGERS = { source: 0, object: 0 } as const;
/** In the order of their ids, which are in the order of time. */
const NEWEST_FIRST = { sortfield: ["clock", "eventid"], sortorder: "DESC" } as const;

/** What a user did to a problem. */
export const UPDATE = [
  "acknowledgeid",
  "userid",
  "username",
  "clock",
  "message",
  "action",
  "old_severity",
  "new_severity",
  "suppress_until",
] as const;

const EVENTS = readerOf(EVENT, {
  output: [
    "eventid",
    "objectid",
    "clock",
    "value",
    "name",
    "severity",
    "acknowledged",
    "r_eventid",
    "urls",
  ],
  selects: { acknowledges: UPDATE },
});

export type ProblemEvent = AnswerOf<typeof EVENTS>;
export type EventAcknowledge = ProblemEvent["acknowledges"][number];
/** An entry that webhooks give the menu of an event. */
export type EventUrl = ProblemEvent["urls"][number];

export async function fetchEvent(
  eventid: Id,
  signal?: AbortSignal,
): Promise<ProblemEvent | undefined> {
  return (await EVENTS.get({ eventids: [eventid] }, signal))[0];
}

/** Newest first: problems (value 1) and recoveries (value 0) of one trigger. */
export async function fetchTriggerEvents(
  triggerid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly ProblemEvent[]> {
  return EVENTS.get({ objectids: [triggerid], ...OF_TRIGGERS, ...NEWEST_FIRST, limit }, signal);
}

const PROBLEMS = readerOf(EVENT, {
  output: [
    "eventid",
    "objectid",
    "clock",
    "name",
    "severity",
    "acknowledged",
    "suppressed",
    "flapping",
    "opdata",
    "r_eventid",
    "cause_eventid",
  ],
  selects: { tags: ["tag", "value"], hosts: ["hostid", "name"] },
});

/** A problem by its event, also one that ended long ago and that the live list no longer holds. */
export async function fetchProblem(
  eventid: Id,
  signal?: AbortSignal,
): Promise<ProblemRow | undefined> {
  const [found] = await PROBLEMS.get({ eventids: [eventid], value: 1 }, signal);
  if (found === undefined) return undefined;
  const { r_eventid, cause_eventid, hosts, tags, ...event } = found;
  const end = r_eventid === "0" ? undefined : await fetchEvent(r_eventid, signal);
  return {
    ...event,
    cause: cause_eventid,
    clock: Number(event.clock),
    rClock: Number(end?.clock ?? 0),
    // what may be closed is asked for with the open ones
    manualClose: false,
    acknowledged: event.acknowledged === "1",
    suppressed: event.suppressed === "1",
    flapping: event.flapping === "1",
    severity: toSeverity(event.severity),
    hostid: hosts[0]?.hostid ?? "",
    host: hosts[0]?.name ?? "",
    tags: tags.map(({ tag, value }): TagPair => [tag, value]),
  };
}

export const PROBLEM = 1;
export const RECOVERY = 0;

/** How many problems began or ended since then. */
export async function countEventsSince(
  value: typeof PROBLEM | typeof RECOVERY,
  since: number,
  signal?: AbortSignal,
): Promise<number> {
  return EVENTS.count({ ...OF_TRIGGERS, value, time_from: since }, signal);
}

const CHANGES = readerOf(EVENT, {
  output: ["eventid", "clock", "name", "severity", "value"],
  selects: { hosts: ["hostid", "name"] },
  params: { ...OF_TRIGGERS, ...NEWEST_FIRST },
});

/** A beginning or an end of a problem, with the hosts that it is about. */
export type HostEvent = AnswerOf<typeof CHANGES>;

/** The newest beginnings and ends of problems since then. */
export async function fetchEventsSince(
  since: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostEvent[]> {
  return CHANGES.get({ time_from: since, limit }, signal);
}

/** Problems and recoveries of a host, newest first. */
export async function fetchHostEvents(
  hostid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostEvent[]> {
  return CHANGES.get({ hostids: [hostid], limit }, signal);
}

/** Bits of `event.acknowledge`. */
export const ACKNOWLEDGE = {
  close: 1,
  acknowledge: 2,
  message: 4,
  severity: 8,
  unacknowledge: 16,
  suppress: 32,
  unsuppress: 64,
  cause: 128,
  symptom: 256,
} as const;

export interface Acknowledgement {
  readonly eventids: readonly Id[];
  readonly action: number;
  readonly message?: string;
  readonly severity?: number;
  /** seconds; 0: without an end */
  readonly suppress_until?: number;
  readonly cause_eventid?: Id;
}

// a call is one transaction: chunks keep the update of a whole storm from blocking others for seconds
const UPDATED_AT_ONCE = 5_000;

/** Any number of problems. Where a call fails, those of the calls before are updated. */
export async function acknowledge(update: Acknowledgement): Promise<void> {
  for (let from = 0; from < update.eventids.length; from += UPDATED_AT_ONCE) {
    const eventids = update.eventids.slice(from, from + UPDATED_AT_ONCE);
    await call("event.acknowledge", { ...update, eventids }, schema.changed);
  }
}
