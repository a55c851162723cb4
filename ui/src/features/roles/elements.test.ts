import { describe, expect, it } from "vitest";
import { ACTIONS, allowedFor, elementsOf, granted, isGranted, PAGES } from "./elements";

describe("what a role has", () => {
  it("is what its type may have", () => {
    const names = elementsOf(PAGES, "1").map(({ name }) => name);
    expect(names).toContain("monitoring.problems");
    expect(names).not.toContain("configuration.hosts");
    expect(elementsOf(ACTIONS, "3")).toHaveLength(ACTIONS.length);
  });

  it("is as all others where it is not named", () => {
    const chosen = [{ name: "edit_maps", status: "0" }];
    expect(isGranted(chosen, "edit_maps", true)).toBe(false);
    expect(isGranted(chosen, "close_problems", true)).toBe(true);
    expect(isGranted([], "close_problems", false)).toBe(false);
  });

  it("changes one by one, and what has no box is kept", () => {
    const chosen = [{ name: "reports.top_triggers", status: "0" }];
    const known = elementsOf(ACTIONS, "1");
    const now = granted(known, chosen, true, { name: "edit_maps", to: false });
    expect(now).toContainEqual({ name: "reports.top_triggers", status: "0" });
    expect(now.filter(({ status }) => status === "0").map(({ name }) => name)).toEqual([
      "reports.top_triggers",
      "edit_maps",
    ]);
    expect(now).toHaveLength(known.length + 1);
  });

  it("loses what another type may not have", () => {
    const chosen = [
      { name: "administration.queue", status: "1" },
      { name: "reports.top_triggers", status: "1" },
      { name: "monitoring.maps", status: "0" },
    ];
    expect(allowedFor(PAGES, chosen, "1")).toEqual([{ name: "monitoring.maps", status: "0" }]);
  });
});
