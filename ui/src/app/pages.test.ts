import { describe, expect, it } from "vitest";
import { firstPage, foundPages, guideOf, isBelow, isDenied, sectionsFor } from "./pages";

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
    expect(sectionsFor(of(3)).map(({ id }) => id)).toEqual([
      "monitoring",
      "collection",
      "alerts",
      "users",
      "administration",
    ]);
    expect(namesFor(3).slice(0, 3)).toEqual(["/", "/dashboards", "/problems"]);
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
    expect(isDenied(of(1), "/about")).toBe(false);
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

describe("the pages of the palette", () => {
  const titlesFor = (user: Parameters<typeof foundPages>[0]) =>
    foundPages(user).map(({ title }) => title);

  it("are those of the navigation, the user's own, and forms of new objects", () => {
    const titles = titlesFor(of(3));
    expect(titles).toEqual(expect.arrayContaining(["Hosts", "My profile", "API reference"]));
    expect(titles).toEqual(expect.arrayContaining(["Unsupported items", "New connector"]));
    expect(foundPages(of(3)).find(({ words }) => words === "Action log")?.href).toBe("/alerts");
    expect(foundPages(of(3)).find(({ title }) => title === "New map")?.href).toBe("/maps/new/edit");
  });

  it("leave out what the user may not open or create", () => {
    expect(titlesFor(of(1))).not.toContain("New connector");
    expect(titlesFor(of(1))).toContain("API tokens");
    const denied = ["host.create", "token.get"];
    expect(titlesFor({ ...of(1), denied })).not.toContain("New host");
    expect(titlesFor({ ...of(1), denied })).not.toContain("API tokens");
    expect(titlesFor({ ...of(1), denied })).toContain("New service");
  });
});

describe("guideOf", () => {
  it("leads to the page about the closest part of the address", () => {
    expect(guideOf("/")).toBe("overview");
    expect(guideOf("/hosts")).toBe("hosts");
    expect(guideOf("/hosts/10084")).toBe("hosts");
    expect(guideOf("/hosts/10084/triggers/new")).toBe("expressions");
    expect(guideOf("/templates/7/items")).toBe("preprocessing");
    expect(guideOf("/hosts/7/discovery/8/prototypes/9")).toBe("preprocessing");
    expect(guideOf("/hosts/7/problems")).toBe("events");
    expect(guideOf("/about")).toBeUndefined();
    expect(guideOf("/nowhere")).toBeUndefined();
  });
});
