import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { type Change, changed } from "./changes";
import { keys, objectKeys } from "./query-keys";

const SOURCES = import.meta.glob<string>("../**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const QUERY = {
  text: "",
  groupids: [],
  templateids: [],
  tags: [],
  status: undefined,
  availability: undefined,
};

/** One query of each kind. */
const SHOWN = {
  session: keys.session,
  overview: keys.overview,
  hostWindow: keys.hostWindow(QUERY, { by: "name", descending: false }, 50, 0),
  host: keys.host("1"),
  hostNames: keys.hostNames("web", 10),
  inventory: keys.inventory("1"),
  templates: keys.templateList,
  origin: keys.origin("item", "5"),
  items: keys.itemsOf("1"),
  triggers: keys.triggersOf("1"),
  rules: keys.rulesOf("1"),
  prototypes: keys.prototypes("7"),
  valueMaps: keys.valueMaps("1"),
  latest: keys.latest({ hostids: [], groupids: [], search: "", show: "all", limit: 10 }),
  regexps: objectKeys("regexp").list,
  connectors: objectKeys("connector").list,
  event: keys.event("9"),
  hostGroups: keys.hostGroups,
  templateGroups: keys.templateGroups,
  history: keys.history("5"),
};

/** What is out of date after a change. */
async function stale(change: Change): Promise<string[]> {
  const client = new QueryClient();
  for (const key of Object.values(SHOWN)) client.setQueryData<unknown>(key, {});
  await changed(client, change);
  return Object.entries(SHOWN)
    .filter(([, key]) => client.getQueryState(key)?.isInvalidated === true)
    .map(([name]) => name);
}

describe("changes", () => {
  it("make out of date what they change and nothing else", async () => {
    expect(await stale("hostStatus")).toEqual([
      "hostWindow",
      "host",
      "hostNames",
      "inventory",
      "latest",
    ]);
    expect(await stale("triggerStatus")).toEqual(["triggers"]);
    expect(await stale("itemStatus")).toEqual(["items", "latest"]);
    expect(await stale("regexp")).toEqual(["regexps"]);
    expect(await stale("connector")).toEqual(["connectors"]);
    expect(await stale("event")).toEqual(["event"]);
    expect(await stale("templategroup")).toEqual(["templates", "origin", "templateGroups"]);
    const afterHost = await stale("host");
    expect(afterHost).toEqual(
      expect.arrayContaining(["hostWindow", "items", "triggers", "latest"]),
    );
    for (const untouched of ["session", "overview", "regexps", "event", "history", "hostGroups"]) {
      expect(afterHost).not.toContain(untouched);
    }
  });

  it("are reported by `changed` alone: nothing else invalidates queries", () => {
    const others = Object.entries(SOURCES)
      .filter(([path]) => !/\/changes(\.test)?\.ts$/.test(path))
      .filter(([, source]) => /\b(?:invalidateQueries|resetQueries|refetchQueries)\b/.test(source))
      .map(([path]) => path);
    expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
    expect(others).toEqual([]);
  });

  it("and keys are written in one place", () => {
    const own = Object.entries(SOURCES)
      .filter(([path]) => !/\/query-keys\.ts$/.test(path) && !/\.test\.tsx?$/.test(path))
      .filter(([, source]) => /queryKey:\s*\[/.test(source))
      .map(([path]) => path);
    expect(own).toEqual([]);
  });
});
