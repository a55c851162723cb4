// Events and what users say about them.

import type { ProblemRow } from "./problem-table";
import { call } from "./rpc";
import * as schema from "./schema";
import type { HostEvent, Id, ProblemEvent } from "./types";

export async function fetchEvent(
  eventid: Id,
  signal?: AbortSignal,
): Promise<ProblemEvent | undefined> {
  const events = await call(
    "event.get",
    {
      eventids: [eventid],
      output: "extend",
      selectAcknowledges: "extend",
    },
    schema.listOf(schema.problemEvent),
    signal,
  );
  return events[0];
}

/** A problem by its event, also one that ended long ago. */
export async function fetchProblem(
  eventid: Id,
  signal?: AbortSignal,
): Promise<ProblemRow | undefined> {
  const [problem] = await call(
    "event.get",
    {
      eventids: [eventid],
      value: 1,
      output: "extend",
      selectTags: ["tag", "value"],
      selectHosts: ["hostid", "name"],
    },
    schema.listOf(schema.pastProblem),
    signal,
  );
  if (problem === undefined) return undefined;
  const { r_eventid, ...row } = problem;
  const end = r_eventid === "0" ? undefined : await fetchEvent(r_eventid, signal);
  // what may be closed is asked for with the open ones
  return { ...row, rClock: Number(end?.clock ?? 0), manualClose: false };
}

/** Newest first: problems (value 1) and recoveries (value 0) of one trigger. */
export async function fetchTriggerEvents(
  triggerid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly ProblemEvent[]> {
  return call(
    "event.get",
    {
      objectids: [triggerid],
      source: 0,
      object: 0,
      output: "extend",
      sortfield: ["clock", "eventid"],
      sortorder: "DESC",
      limit,
    },
    schema.listOf(schema.problemEvent),
    signal,
  );
}

const SOURCE_TRIGGER = { source: 0, object: 0 } as const;
export const PROBLEM = 1;
export const RECOVERY = 0;

/** How many problems began or ended since then. */
export async function countEventsSince(
  value: typeof PROBLEM | typeof RECOVERY,
  since: number,
  signal?: AbortSignal,
): Promise<number> {
  const params = { ...SOURCE_TRIGGER, value, time_from: since, countOutput: true } as const;
  return Number(await call("event.get", params, schema.count, signal));
}

/** The newest beginnings and ends of problems since then. */
export async function fetchEventsSince(
  since: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostEvent[]> {
  return call(
    "event.get",
    {
      ...SOURCE_TRIGGER,
      time_from: since,
      output: ["eventid", "clock", "name", "severity", "value"],
      selectHosts: ["hostid", "name"],
      sortfield: ["clock", "eventid"],
      sortorder: "DESC",
      limit,
    },
    schema.listOf(schema.hostEvent),
    signal,
  );
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
