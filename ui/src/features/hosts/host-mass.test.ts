import { describe, expect, it } from "vitest";
import { newMacro } from "@/widgets/macro-editor";
import { type HostMassFields, hostMassCalls, NO_MASS } from "./host-mass";

const HOSTS = [{ hostid: "1" }, { hostid: "2" }];
const calls = (change: Partial<HostMassFields>, ...parts: string[]) =>
  hostMassCalls(["1", "2"], { ...NO_MASS, ...change }, new Set(parts));

describe("one change of many hosts", () => {
  it("sends only what was ticked, what is of one kind in one call", () => {
    const change = { enabled: false, description: "old", groupids: ["4"] };
    expect(calls(change)).toEqual([]);
    expect(calls(change, "status")).toEqual([
      { method: "host.massupdate", params: { hosts: HOSTS, status: 1 } },
    ]);
    expect(calls(change, "status", "description", "groups")).toEqual([
      { method: "host.massupdate", params: { hosts: HOSTS, status: 1, description: "old" } },
      { method: "host.massadd", params: { hosts: HOSTS, groups: [{ groupid: "4" }] } },
    ]);
  });

  it("adds, replaces and removes", () => {
    const macros = [newMacro("{$A}", "1")];
    expect(calls({ groupsHow: "remove", groupids: ["4"] }, "groups")).toEqual([
      { method: "host.massremove", params: { hostids: ["1", "2"], groupids: ["4"] } },
    ]);
    expect(calls({ templatesHow: "clear", templateids: ["7"] }, "templates")).toEqual([
      { method: "host.massremove", params: { hostids: ["1", "2"], templateids_clear: ["7"] } },
    ]);
    expect(calls({ macrosHow: "remove", macros }, "macros")).toEqual([
      { method: "host.massremove", params: { hostids: ["1", "2"], macros: ["{$A}"] } },
    ]);
    expect(calls({ macrosHow: "replace", macros }, "macros")[0]?.method).toBe("host.massupdate");
    expect(
      calls({ inventoryField: "location", inventoryValue: "Rack 3" }, "inventoryField"),
    ).toEqual([
      { method: "host.massupdate", params: { hosts: HOSTS, inventory: { location: "Rack 3" } } },
    ]);
  });
});
