// One event with all that belongs to it: updates, the event that ends it, messages, its cause and symptoms.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { EventAcknowledge, Id, Tag } from "./types";

export interface EventDetails {
  readonly eventid: Id;
  readonly source: string;
  readonly object: string;
  readonly objectid: Id;
  readonly clock: string;
  /** "1": something began, "0": it ended */
  readonly value: string;
  readonly name: string;
  readonly severity: string;
  readonly acknowledged: string;
  readonly opdata: string;
  readonly r_eventid: Id;
  readonly cause_eventid: Id;
  readonly tags: readonly Tag[];
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
  readonly acknowledges: readonly EventAcknowledge[];
  readonly suppression_data: readonly {
    readonly maintenanceid: Id;
    readonly suppress_until: string;
    readonly userid: Id;
  }[];
}

export interface EventName {
  readonly eventid: Id;
  readonly name: string;
  readonly clock: string;
  readonly severity: string;
  readonly r_eventid: Id;
}

/** A message or command about an event. */
export interface EventAlert {
  readonly alertid: Id;
  readonly clock: string;
  readonly sendto: string;
  readonly subject: string;
  readonly message: string;
  /** 0 not sent, 1 sent, 2 given up, 3 new */
  readonly status: string;
  readonly error: string;
  readonly esc_step: string;
  readonly alerttype: string;
  readonly mediatypes: readonly { readonly name: string }[];
  readonly users: readonly { readonly username: string }[];
}

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

const text = z.string();
const acknowledge: z.ZodMiniType<EventAcknowledge> = z.object({
  acknowledgeid: text,
  userid: text,
  username: z.optional(text),
  clock: text,
  message: text,
  action: text,
  old_severity: text,
  new_severity: text,
  suppress_until: text,
}) as unknown as z.ZodMiniType<EventAcknowledge>;

const details: z.ZodMiniType<EventDetails> = z.object({
  eventid: text,
  source: text,
  object: text,
  objectid: text,
  clock: text,
  value: text,
  name: text,
  severity: text,
  acknowledged: text,
  opdata: text,
  r_eventid: text,
  cause_eventid: text,
  tags: z.array(z.object({ tag: text, value: text })),
  hosts: z.array(z.object({ hostid: text, name: text })),
  acknowledges: z.array(acknowledge),
  suppression_data: z.array(z.object({ maintenanceid: text, suppress_until: text, userid: text })),
});

const eventName: z.ZodMiniType<EventName> = z.object({
  eventid: text,
  name: text,
  clock: text,
  severity: text,
  r_eventid: text,
});

const eventAlert: z.ZodMiniType<EventAlert> = z.object({
  alertid: text,
  clock: text,
  sendto: text,
  subject: text,
  message: text,
  status: text,
  error: text,
  esc_step: text,
  alerttype: text,
  mediatypes: z.array(z.object({ name: text })),
  users: z.array(z.object({ username: text })),
});

/** Sources with their objects, the frequent ones first: events are asked for by one of each at a time. */
const KINDS = [
  [0, 0],
  [3, 0],
  [3, 4],
  [3, 5],
  [4, 6],
  [2, 3],
] as const;

const NAME = ["eventid", "name", "clock", "severity", "r_eventid"] as const;
/** As many as a person looks through. */
const RELATED_MAX = 100;
const ALERTS_MAX = 500;

interface Kind {
  readonly source: number;
  readonly object: number;
}

async function fetchDetails(eventid: Id, signal?: AbortSignal): Promise<EventDetails | undefined> {
  for (const [source, object] of KINDS) {
    const params = {
      eventids: [eventid],
      source,
      object,
      output: "extend",
      selectTags: ["tag", "value"],
      selectHosts: ["hostid", "name"],
      selectAcknowledges: "extend",
      selectSuppressionData: "extend",
    } as const;
    const [event] = await call("event.get", params, schema.listOf(details), signal);
    if (event !== undefined) return event;
  }
  return undefined;
}

async function fetchNames(
  kind: Kind,
  which: { readonly eventids?: readonly Id[]; readonly filter?: Readonly<Record<string, string>> },
  signal?: AbortSignal,
): Promise<readonly EventName[]> {
  const params = {
    ...kind,
    ...which,
    output: NAME,
    sortfield: "eventid",
    limit: RELATED_MAX,
  } as const;
  return call("event.get", params, schema.listOf(eventName), signal);
}

async function fetchAlertsOf(
  kind: Kind,
  eventids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly EventAlert[]> {
  const params = {
    eventids,
    eventsource: kind.source,
    eventobject: kind.object,
    output: "extend",
    selectMediatypes: ["name"],
    selectUsers: ["username"],
    sortfield: "alertid",
    limit: ALERTS_MAX,
  } as const;
  return call("alert.get", params, schema.listOf(eventAlert), signal);
}

export async function fetchWholeEvent(
  eventid: Id,
  signal?: AbortSignal,
): Promise<WholeEvent | undefined> {
  const event = await fetchDetails(eventid, signal);
  if (event === undefined) return undefined;
  const kind = { source: Number(event.source), object: Number(event.object) };
  const one = async (id: Id) =>
    id === "0" ? undefined : (await fetchNames(kind, { eventids: [id] }, signal))[0];
  const isBegin = event.value !== "0";
  const [end, [begin], cause, symptoms, alerts] = await Promise.all([
    one(event.r_eventid),
    isBegin ? [] : fetchNames(kind, { filter: { r_eventid: eventid } }, signal),
    one(event.cause_eventid),
    isBegin ? fetchNames(kind, { filter: { cause_eventid: eventid } }, signal) : [],
    // the messages about the end of a problem belong to the event that ended it
    fetchAlertsOf(kind, event.r_eventid === "0" ? [eventid] : [eventid, event.r_eventid], signal),
  ]);
  return { event, end, begin, cause, symptoms, alerts };
}
