import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DashboardContent } from "@/api/dashboards";
import { boardOf, type WidgetDraft } from "./draft";
import { bottom, COLUMNS, overlaps, ROWS } from "./layout";
import { globalView } from "./preset";
import { entryOf } from "./registry";

const TEMPLATES = join(import.meta.dirname, "../../../../templates");

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(TEMPLATES, file), "utf8"));
}

function expectSound(widgets: readonly WidgetDraft[]) {
  expect(widgets.filter((it) => entryOf(it.type) === undefined)).toEqual([]);
  const over = widgets.filter((it, at) =>
    widgets.slice(at + 1).some((other) => overlaps(it, other)),
  );
  expect(over).toEqual([]);
  expect(Math.max(...widgets.map((it) => it.x + it.width))).toBeLessThanOrEqual(COLUMNS);
  expect(bottom(widgets)).toBeLessThanOrEqual(ROWS);
}

describe("the dashboard to begin with", () => {
  it("has kinds of widgets that are known, and nothing lies on anything", () => {
    expectSound(boardOf(globalView("1")).pages.flatMap((page) => page.widgets));
  });

  it("is what a new server has", () => {
    const { userid, users, userGroups, ...own } = globalView("1");
    expect([userid, users, userGroups]).toEqual(["1", [], []]);
    expect(read("dashboards/global_view.json")).toEqual(own);
  });
});

interface Export {
  readonly zabbix_export: {
    readonly templates: readonly {
      readonly template: string;
      readonly dashboards: readonly (Partial<DashboardContent> & { readonly name: string })[];
    }[];
  };
}

describe("the dashboards of bundled templates", () => {
  const files = readdirSync(TEMPLATES).filter((it) => it.endsWith(".json"));

  it.each(files)("%s", (file) => {
    const { templates } = (read(file) as Export).zabbix_export;
    const dashboards = templates.flatMap((it) => it.dashboards);
    expect(dashboards.length).toBe(1);
    for (const { name, pages = [] } of dashboards) {
      expect(name).not.toBe("");
      for (const { widgets } of pages) {
        // places at the left and the top are left out in files
        const placed = widgets.map((it) => ({ ...it, x: it.x ?? "0", y: it.y ?? "0" }));
        const content = { name, display_period: "30", auto_start: "1" };
        const page = { name: "", display_period: "0", widgets: placed };
        expectSound(boardOf({ ...content, pages: [page] }).pages.flatMap((it) => it.widgets));
      }
    }
  });
});
