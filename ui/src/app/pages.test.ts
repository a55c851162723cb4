import { describe, expect, it } from "vitest";
import { firstPage, isBelow, isDenied, SECTIONS, sectionsFor } from "./pages";

const ALL = [
  ...["dashboard", "problems", "hosts", "latest_data", "maps", "discovery"].map(
    (it) => `monitoring.${it}`,
  ),
  ...["services", "sla", "sla_report"].map((it) => `services.${it}`),
  ...["audit", "action_log", "system_info"].map((it) => `reports.${it}`),
  ...["hosts", "templates", "maintenance", "discovery", "event_correlation", "trigger_actions"].map(
    (it) => `configuration.${it}`,
  ),
  ...[
    "media_types",
    "scripts",
    "users",
    "user_groups",
    "user_roles",
    "general",
    "macros",
    "queue",
    "housekeeping",
  ].map((it) => `administration.${it}`),
];
const of = (type: number, ui: readonly string[] = ALL) => ({ type, ui });
const namesFor = (type: number, ui?: readonly string[]) =>
  sectionsFor(of(type, ui)).flatMap((it) => it.pages.map(({ to }) => to));

describe("the pages of the navigation", () => {
  it("are those that a user may see", () => {
    expect(sectionsFor(of(1)).map(({ id }) => id)).toEqual(["monitoring", "collection"]);
    expect(namesFor(1)).not.toContain("/maintenance");
    expect(namesFor(2)).toContain("/maintenance");
    expect(namesFor(2)).not.toContain("/actions");
    expect(namesFor(3)).toHaveLength(SECTIONS.flatMap(({ pages }) => pages).length);
  });

  it("are those that the role has", () => {
    const ui = ALL.filter(
      (it) => it !== "monitoring.dashboard" && it !== "configuration.templates",
    );
    expect(namesFor(3, ui)).not.toContain("/");
    expect(namesFor(3, ui)).not.toContain("/templates");
    expect(namesFor(3, ui)).toContain("/hosts");
    expect(firstPage(of(3, ui))).toBe("/problems");
    expect(firstPage(of(3))).toBeUndefined();
    expect(isDenied(of(3, ui), "/templates/7/items")).toBe(true);
    expect(isDenied(of(3, ui), "/hosts/7")).toBe(false);
    expect(isDenied(of(1), "/users/7")).toBe(true);
    expect(isDenied(of(1), "/tokens")).toBe(false);
    expect(isDenied({ ...of(1), denied: ["token.get"] }, "/tokens")).toBe(true);
    expect(isDenied(of(1, []), "/profile")).toBe(false);
  });

  it("stand once each", () => {
    expect(new Set(namesFor(3)).size).toBe(namesFor(3).length);
  });

  it("are open at what is below them", () => {
    expect(isBelow("/hosts", "/hosts/7/items")).toBe(true);
    expect(isBelow("/users", "/usergroups")).toBe(false);
    expect(isBelow("/", "/problems")).toBe(false);
    expect(isBelow("/", "/")).toBe(true);
  });
});
