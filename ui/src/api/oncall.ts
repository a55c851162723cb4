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

const text = z.string();

/** "0" in place of the id: no user. */
const person = z.object({ userid: text, username: text, name: text, surname: text });
const shift = z.extend(person, {
  time_from: text,
  time_till: text,
  /** place in the list of rotations, from 1; "0": by an override, or no user */
  rotation: text,
  override: text,
});
const onCall = z.object({
  oncallid: text,
  name: text,
  /** the schedule's in effect, also where it says "system"; empty where that has no name */
  timezone: text,
  now: person,
  shifts: z.array(shift),
});

export type Person = schema.Read<typeof person>;
export type Shift = schema.Read<typeof shift>;
export type OnCall = schema.Read<typeof onCall>;

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
