import { expect, test } from "vitest";
import type { TimePeriod } from "@/api/maintenance";
import { keyed } from "@/widgets/keyed";
import {
  draftOf,
  fieldsOf,
  isComplete,
  lengthSeconds,
  lengthText,
  newPeriod,
  periodOf,
  timePeriodOf,
} from "./draft";

// not the one that these tests run in
const ZONE = "Asia/Tokyo";

const NOTHING: TimePeriod = {
  timeperiod_type: "0",
  period: "3600",
  start_date: "0",
  start_time: "0",
  every: "1",
  dayofweek: "0",
  day: "0",
  month: "0",
};

test.each([
  { timeperiod_type: "0", period: "5400", start_date: "1764547200" },
  { timeperiod_type: "2", period: "7200", start_time: "84600", every: "3" },
  { timeperiod_type: "3", period: "86400", start_time: "0", every: "2", dayofweek: "65" },
  { timeperiod_type: "4", period: "300", start_time: "60", month: "2049", day: "31" },
  {
    timeperiod_type: "4",
    period: "3600",
    start_time: "0",
    month: "4095",
    every: "5",
    dayofweek: "64",
  },
])("a period of kind $timeperiod_type goes through the form as it is", (period) => {
  const fields = periodOf({ ...NOTHING, ...period }, ZONE, "2026-01-31 08:00");
  expect(timePeriodOf(fields, ZONE)).toEqual(period);
});

test("lengths are written in the largest unit that fits", () => {
  expect([5_400, 7_200, 86_400, 604_800].map(lengthText)).toEqual(["90m", "2h", "1d", "1w"]);
  expect(["90m", " 2h ", "1w", "2", "x", "1h30m"].map(lengthSeconds)).toEqual([
    5_400,
    7_200,
    604_800,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a draft is complete with a name, something to maintain and sound periods", () => {
  const fields = { ...fieldsOf(undefined, ZONE), name: "m", hosts: ["1"] };
  expect(isComplete(fields)).toBe(true);
  expect(isComplete({ ...fields, hosts: [] })).toBe(false);
  expect(isComplete({ ...fields, till: fields.since })).toBe(false);
  for (const broken of [
    { length: "1m" },
    { start: "whenever" },
    { kind: "2", time: "24:00" },
    { kind: "3", weekdays: [] },
    { kind: "4", months: [] },
    { kind: "4", day: "32" },
  ]) {
    const periods = [{ ...newPeriod("2026-01-31 08:00"), ...broken }];
    expect(isComplete({ ...fields, periods }), JSON.stringify(broken)).toBe(false);
  }
  expect(draftOf({ ...fields, groups: ["7"] })).toMatchObject({
    hosts: [{ hostid: "1" }],
    groups: [{ groupid: "7" }],
    maintenance_type: "0",
    tags: [],
  });
});

test("without data collection no conditions on tags are sent", () => {
  const tags = [keyed({ tag: "a", operator: "2", value: "" })];
  const draft = draftOf({ ...fieldsOf(undefined, ZONE), name: "m", tags, withData: false });
  expect(draft.maintenance_type).toBe("1");
  expect(draft).not.toHaveProperty("tags");
  expect(draft).not.toHaveProperty("tags_evaltype");
});

test("all times of the form are the server's, and what was not touched is sent as it was", () => {
  const maintenance = {
    maintenanceid: "7",
    name: "m",
    description: "",
    active_since: "1764547200",
    active_till: "1764633600",
    maintenance_type: "0",
    tags_evaltype: "0",
    tags: [],
    hosts: [{ hostid: "1" }],
    hostgroups: [],
    timeperiods: [
      { ...NOTHING, start_date: "1764550800" },
      { ...NOTHING, timeperiod_type: "2", start_time: "36000" },
    ],
  } as unknown as Parameters<typeof fieldsOf>[0];
  const fields = fieldsOf(maintenance, ZONE);
  expect([fields.since, fields.till]).toEqual(["2025-12-01 09:00", "2025-12-02 09:00"]);
  expect(fields.periods.map(({ kind, start, time }) => [kind, start, time])).toEqual([
    ["0", "2025-12-01 10:00", "23:00"],
    ["2", "2025-12-01 09:00", "10:00"],
  ]);
  expect(draftOf(fields)).toMatchObject({
    active_since: "1764547200",
    active_till: "1764633600",
    timeperiods: [{ start_date: "1764550800" }, { start_time: "36000" }],
  });
});
