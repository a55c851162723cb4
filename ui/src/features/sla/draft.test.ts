import { expect, test } from "vitest";
import { checkDay, checkSlo, daysOf, draftOf, fieldsOf, spansOf } from "./draft";

const span = (from: number, to: number) => ({
  period_from: String(from),
  period_to: String(to),
});

test("a schedule is written by weekdays and read again", () => {
  const schedule = [span(86_400 + 9 * 3600, 86_400 + 17 * 3600), span(6 * 86_400, 7 * 86_400)];
  const days = daysOf(schedule);
  expect(days).toEqual(["", "09:00-17:00", "", "", "", "", "00:00-24:00"]);
  expect(spansOf(days)).toEqual(schedule);
});

test("a row over midnight belongs to both days", () => {
  expect(daysOf([span(22 * 3600, 30 * 3600)]).slice(0, 2)).toEqual(["22:00-24:00", "00:00-06:00"]);
});

test("an invalid time is reported", () => {
  const good = ["", "9:00-17:00", "00:00-24:00", "08:00-12:00, 13:00-17:30"];
  const wrong = ["9-17", "17:00-09:00", "09:00-24:30", "09:60-10:00", "x"];
  expect(good.map((it) => checkDay(it).ok)).toEqual(good.map(() => true));
  expect(wrong.map((it) => checkDay(it).ok)).toEqual(wrong.map(() => false));
});

test("an objective is percent with at most four digits behind the point", () => {
  expect(["0", "99.9", "100", "99.9999"].every((it) => checkSlo(it).ok)).toBe(true);
  expect(["", "100.1", "99.99999", "x", "-1"].some((it) => checkSlo(it).ok)).toBe(false);
});

test("dates are in the zone of the agreement, which is the server's unless it names one", () => {
  const sla = (timezone: string) =>
    ({
      slaid: "1",
      name: "Web",
      period: "2",
      slo: "99.9",
      effective_date: "1764547200",
      timezone,
      status: "1",
      description: "",
      service_tags: [],
      schedule: [],
      excluded_downtimes: [{ name: "move", period_from: "1764547200", period_to: "1764550800" }],
    }) as unknown as Parameters<typeof fieldsOf>[0];
  const own = fieldsOf(sla("Asia/Tokyo"), "Europe/Riga");
  expect(own.effective).toBe("2025-12-01 09:00");
  const system = fieldsOf(sla("system"), "Europe/Riga");
  expect(system.excluded[0]).toMatchObject({ from: "2025-12-01 02:00", to: "2025-12-01 03:00" });
  for (const fields of [own, system]) {
    expect(draftOf(fields)).toMatchObject({
      effective_date: "1764547200",
      excluded_downtimes: [{ period_from: "1764547200", period_to: "1764550800" }],
    });
  }
});
