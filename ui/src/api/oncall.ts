// On-call schedules by JSON-RPC, and who is on call when by the server's rules and clock.

import * as z from "zod/mini";
import type { OncallScheduleCreate } from "./generated/oncall-schedule";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface Rotation {
  readonly name: string;
  readonly start: string;
  readonly length: string;
  /** 0 hours, 1 days, 2 weeks */
  readonly unit: string;
  readonly handover: string;
  readonly weekday: string;
  readonly period: string;
  readonly users: readonly { readonly userid: Id }[];
}

export interface Override {
  readonly userid: Id;
  readonly time_from: string;
  readonly time_till: string;
}

export interface OncallSchedule {
  readonly oncallid: Id;
  readonly name: string;
  readonly timezone: string;
  readonly description: string;
  readonly rotations: readonly Rotation[];
  readonly overrides: readonly Override[];
}

export type OncallDraft = OncallScheduleCreate;

export interface Person {
  /** "0": no user */
  readonly userid: Id;
  readonly username: string;
  readonly name: string;
  readonly surname: string;
}

export interface Shift extends Person {
  readonly time_from: string;
  readonly time_till: string;
  /** place in the list of rotations, from 1; "0": by an override, or no user */
  readonly rotation: string;
  readonly override: string;
}

export interface OnCall {
  readonly oncallid: Id;
  readonly name: string;
  /** the schedule's in effect, also where it says "system"; empty where that has no name */
  readonly timezone: string;
  readonly now: Person;
  readonly shifts: readonly Shift[];
}

const text = z.string();

const schedule: z.ZodMiniType<OncallSchedule> = z.object({
  oncallid: text,
  name: text,
  timezone: text,
  description: text,
  rotations: z.array(
    z.object({
      name: text,
      start: text,
      length: text,
      unit: text,
      handover: text,
      weekday: text,
      period: text,
      users: z.array(z.object({ userid: text })),
    }),
  ),
  overrides: z.array(z.object({ userid: text, time_from: text, time_till: text })),
});

const person = { userid: text, username: text, name: text, surname: text };

const onCall: z.ZodMiniType<OnCall> = z.object({
  oncallid: text,
  name: text,
  timezone: text,
  now: z.object(person),
  shifts: z.array(
    z.object({ ...person, time_from: text, time_till: text, rotation: text, override: text }),
  ),
});

const WHOLE = {
  output: "extend",
  selectRotations: "extend",
  selectOverrides: "extend",
  sortfield: "name",
} as const;

export async function fetchSchedules(signal?: AbortSignal): Promise<readonly OncallSchedule[]> {
  return call("oncall.get", WHOLE, schema.listOf(schedule), signal);
}

export async function fetchSchedule(
  id: Id,
  signal?: AbortSignal,
): Promise<OncallSchedule | undefined> {
  const params = { ...WHOLE, oncallids: [id] };
  return (await call("oncall.get", params, schema.listOf(schedule), signal))[0];
}

/** Without ids: of all schedules. Parts of shifts before and after the range are cut off. */
export async function fetchOnCall(
  ids: readonly Id[] | undefined,
  from: number,
  till: number,
  signal?: AbortSignal,
): Promise<readonly OnCall[]> {
  const params = {
    ...(ids === undefined ? {} : { oncallids: ids }),
    time_from: from,
    time_till: till,
  };
  return call("oncall.whois", params, schema.listOf(onCall), signal);
}

export async function createSchedule(draft: OncallDraft): Promise<Id> {
  const ids = await call("oncall.create", draft, schema.createdIds("oncallids"));
  return ids[0] ?? "";
}

export async function updateSchedule(oncallid: Id, draft: Partial<OncallDraft>): Promise<void> {
  await call("oncall.update", { oncallid, ...draft }, schema.changed);
}

export async function deleteSchedules(ids: readonly Id[]): Promise<void> {
  await call("oncall.delete", ids, schema.changed);
}

/** Where calendar programs find the shifts; they need a token in a header. */
export function calendarAddress(oncallid: Id): string {
  return `/api/v1/oncall/${oncallid}/ical`;
}
