// On-call schedules, and who is on call when by the server's rules and clock.

import * as z from "zod/mini";
import { ONCALL_SCHEDULE } from "./generated/oncall-schedule";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export const SCHEDULES = objectsOf(ONCALL_SCHEDULE, {
  selects: { rotations: "extend", overrides: "extend" },
});

export type OncallSchedule = AnswerOf<typeof SCHEDULES>;
export type Rotation = OncallSchedule["rotations"][number];
export type Override = OncallSchedule["overrides"][number];
export type OncallDraft = DraftOf<"oncall">;

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

/** Where calendar programs find the shifts; they need a token in a header. */
export function calendarAddress(oncallid: Id): string {
  return `/api/v1/oncall/${oncallid}/ical`;
}
