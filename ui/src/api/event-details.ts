// One event with all that belongs to it: updates, the event that ends it, messages, its cause and symptoms.

import { UPDATE } from "./events";
import { ALERT } from "./generated/alert";
import { EVENT } from "./generated/event";
import { type AnswerOf, readerOf } from "./objects";
import type { Id } from "./types";

const DETAILS = readerOf(EVENT, {
  output: [
    "eventid",
    "source",
    "object",
    "objectid",
    "clock",
    "value",
    "name",
    "severity",
    "acknowledged",
    "opdata",
    "r_eventid",
    "cause_eventid",
  ],
  selects: {
    tags: ["tag", "value"],
    hosts: ["hostid", "name"],
    acknowledges: UPDATE,
    suppression_data: "extend",
  },
});
type EventDetails = AnswerOf<typeof DETAILS>;

/** As many as a person looks through. */
const RELATED_MAX = 100;
const NAMES = readerOf(EVENT, {
  output: ["eventid", "name", "clock", "severity", "r_eventid"],
  params: { sortfield: "eventid", limit: RELATED_MAX },
});
export type EventName = AnswerOf<typeof NAMES>;

const ALERTS_MAX = 500;
const ALERTS = readerOf(ALERT, {
  output: [
    "alertid",
    "clock",
    "sendto",
    "subject",
    "message",
    "status",
    "error",
    "esc_step",
    "alerttype",
  ],
  selects: { mediatypes: ["name"], users: ["username"] },
  params: { sortfield: "alertid", limit: ALERTS_MAX },
});
/** A message or command about an event. */
export type EventAlert = AnswerOf<typeof ALERTS>;

export interface WholeEvent {
  readonly event: EventDetails;
  /** what ended it */
  readonly end: EventName | undefined;
  /** of an end: what it ended */
  readonly begin: EventName | undefined;
  readonly cause: EventName | undefined;
  readonly symptoms: readonly EventName[];
  readonly alerts: readonly EventAlert[];
}

/** Sources with their objects, the frequent ones first: events are asked for by one of each at a time. */
const KINDS = [
  [0, 0],
  [3, 0],
  [3, 4],
  [3, 5],
  [4, 6],
  [2, 3],
] as const;

async function fetchDetails(eventid: Id, signal?: AbortSignal): Promise<EventDetails | undefined> {
  for (const [source, object] of KINDS) {
    const [event] = await DETAILS.get({ eventids: [eventid], source, object }, signal);
    if (event !== undefined) return event;
  }
  return undefined;
}

export async function fetchWholeEvent(
  eventid: Id,
  signal?: AbortSignal,
): Promise<WholeEvent | undefined> {
  const event = await fetchDetails(eventid, signal);
  if (event === undefined) return undefined;
  const kind = { source: Number(event.source), object: Number(event.object) };
  const one = async (id: Id) =>
    id === "0" ? undefined : (await NAMES.get({ ...kind, eventids: [id] }, signal))[0];
  const eventids = event.r_eventid === "0" ? [eventid] : [eventid, event.r_eventid];
  const isBegin = event.value !== "0";
  const [end, [begin], cause, symptoms, alerts] = await Promise.all([
    one(event.r_eventid),
    isBegin ? [] : NAMES.get({ ...kind, filter: { r_eventid: eventid } }, signal),
    one(event.cause_eventid),
    isBegin ? NAMES.get({ ...kind, filter: { cause_eventid: eventid } }, signal) : [],
    // the messages about the end of a problem belong to the event that ended it
    ALERTS.get({ eventids, eventsource: kind.source, eventobject: kind.object }, signal),
  ]);
  return { event, end, begin, cause, symptoms, alerts };
}
