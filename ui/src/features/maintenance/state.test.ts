import { expect, test } from "vitest";
import { setShownZone } from "@/lib/time";
import { hostsText, midnights, nearest, occurrencesOf, stateOf } from "./state";

test("the state follows from when it is active, the end not included", () => {
  const active = { active_since: "100", active_till: "200" };
  expect([99, 100, 199, 200].map((now) => stateOf(active, now))).toEqual([
    "upcoming",
    "active",
    "active",
    "expired",
  ]);
});

test("the nearest time is the one under way, else the next one", () => {
  const all = occurrencesOf([
    {
      maintenanceid: "1",
      periods: [
        [10, 20],
        [30, 40],
      ],
    },
  ]).get("1");
  expect(nearest(all, 15)?.since).toBe(10);
  expect(nearest(all, 20)?.since).toBe(30);
  expect(nearest(all, 40)).toBeUndefined();
});

test("days of a calendar are as long as the clock says", () => {
  // over both changes of the clock, whatever zone the test runs in
  for (const now of [1_774_700_000, 1_792_840_000]) {
    const days = midnights(now, -1, 28);
    expect(days).toHaveLength(29);
    for (const day of days) expect(new Date(day * 1000).getHours()).toBe(0);
  }
});

test("days of a calendar begin where times are shown", () => {
  setShownZone("Asia/Tokyo");
  const [first] = midnights(Date.parse("2026-01-05T16:00:00Z") / 1000, 0, 28);
  setShownZone("default");
  expect(first).toBe(Date.parse("2026-01-05T15:00:00Z") / 1000);
});

test("of many hosts the first are named", () => {
  const hosts = ["a", "b", "c"].map((name) => ({ hostid: name, name }));
  expect(hostsText({ hosts, hostgroups: [] })).toBe("a, b, c");
  expect(hostsText({ hosts, hostgroups: [{ groupid: "1", name: "g" }] })).toBe(
    "group g, a, b and 1 more",
  );
});
