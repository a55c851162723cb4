import { describe, expect, it } from "vitest";
import type { OncallSchedule } from "@/api/oncall";
import {
  checkHandover,
  checkLength,
  checkPeriod,
  checkZone,
  draftOf,
  fieldsOf,
  isComplete,
  newOverride,
  overrideError,
  zoneOf,
} from "./draft";

const at = (text: string) => String(Date.parse(text) / 1000);

const SCHEDULE: OncallSchedule = {
  oncallid: "7",
  name: "Operations",
  timezone: "Europe/Riga",
  description: "",
  rotations: [
    {
      name: "Weeks",
      start: at("2026-01-05T07:00:00Z"),
      length: "1",
      unit: "2",
      handover: "09:00",
      weekday: "1",
      period: "",
      users: [{ userid: "11" }, { userid: "12" }],
    },
  ],
  overrides: [
    { userid: "12", time_from: at("2026-07-01T06:00:00Z"), time_till: at("2026-07-02T06:00:05Z") },
  ],
};

describe("a schedule while it is edited", () => {
  it("shows moments on the schedule's wall and saves what was read", () => {
    const fields = fieldsOf(SCHEDULE, "UTC");
    expect(fields.rotations[0]?.start).toBe("2026-01-05 09:00");
    expect(fields.overrides[0]).toMatchObject({
      from: "2026-07-01 09:00",
      till: "2026-07-02 09:00:05",
    });
    const { oncallid: _, ...saved } = SCHEDULE;
    expect(draftOf(fields)).toEqual(saved);
    expect(isComplete(fields)).toBe(true);
  });

  it("writes moments in the server's zone where the schedule says system, or nothing that is one", () => {
    const fields = fieldsOf({ ...SCHEDULE, timezone: "system" }, "America/New_York");
    expect(fields.rotations[0]?.start).toBe("2026-01-05 02:00");
    expect(zoneOf({ timezone: "Mars", serverZone: "UTC" })).toBe("UTC");
    expect(zoneOf({ timezone: " Asia/Tokyo ", serverZone: "UTC" })).toBe("Asia/Tokyo");
  });

  it("is complete with a name, users and times that can be read", () => {
    const fields = fieldsOf(undefined, "UTC");
    expect(isComplete(fields)).toBe(false);
    const [first] = fields.rotations;
    if (first === undefined) throw new Error("a new one has a rotation");
    const whole = {
      ...fields,
      name: "Nights",
      rotations: [{ ...first, name: "One", users: [{ userid: "1", key: 1 }] }],
    };
    expect(isComplete(whole)).toBe(true);
    expect(isComplete({ ...whole, rotations: [] })).toBe(false);
    expect(isComplete({ ...whole, timezone: "Mars" })).toBe(false);
    expect(isComplete({ ...whole, overrides: [newOverride("UTC")] })).toBe(false);
  });

  it("says what is wrong with an override", () => {
    const good = { userid: "1", from: "2026-01-01 08:00", till: "2026-01-02 08:00" };
    expect(overrideError(good, "UTC")).toBeUndefined();
    expect(overrideError({ ...good, userid: "" }, "UTC")).toBe("a user is required");
    expect(overrideError({ ...good, till: "later" }, "UTC")).toBe("enter both times");
    expect(overrideError({ ...good, till: good.from }, "UTC")).toBe("the end is before the start");
  });

  it("knows times, lengths, periods and zones from what only looks like them", () => {
    const ok = (check: (text: string) => { ok: boolean }, texts: readonly string[]) =>
      texts.map((it) => check(it).ok);
    expect(ok(checkHandover, ["00:00", "23:59", "9:00", "24:00", "12:60"])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(ok(checkLength, ["1", "1000", "0", "1001", "x"])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(ok(checkPeriod, ["", "1-5,08:00-18:00;6-7,10:00-16:00", "1-5", "8,1:00-2:00"])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(ok(checkZone, ["system", "Europe/Riga", "", "Mars"])).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
