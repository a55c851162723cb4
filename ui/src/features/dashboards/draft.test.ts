import { describe, expect, it } from "vitest";
import type { DashboardContent } from "@/api/dashboards";
import {
  asNew,
  began,
  boardOf,
  contentOf,
  done,
  periodOf,
  redone,
  references,
  undone,
  withCopy,
  withoutWidget,
  withWidget,
} from "./draft";
import { Fields } from "./fields";

const CONTENT: DashboardContent = {
  name: "Servers",
  display_period: "60",
  auto_start: "0",
  pages: [
    {
      dashboard_pageid: "3",
      name: "CPU",
      display_period: "0",
      widgets: [
        {
          widgetid: "7",
          type: "svggraph",
          name: "Load",
          view_mode: "1",
          x: "0",
          y: "0",
          width: "36",
          height: "5",
          fields: [{ type: "1", name: "reference", value: "AAAAA" }],
        },
      ],
    },
    { name: "", display_period: "10", widgets: [] },
  ],
};

describe("a dashboard as a draft", () => {
  it("is saved as it was read", () => {
    expect(contentOf(boardOf(CONTENT))).toEqual(CONTENT);
  });

  it("is another one without the ids", () => {
    const [page] = contentOf(asNew(boardOf(CONTENT))).pages;
    expect(page).not.toHaveProperty("dashboard_pageid");
    expect(page?.widgets[0]).not.toHaveProperty("widgetid");
  });

  it("has a page even where none is kept", () => {
    expect(boardOf({ ...CONTENT, pages: [] }).pages).toHaveLength(1);
  });

  it("shows pages as long as they or the dashboard say", () => {
    const board = boardOf(CONTENT);
    expect(board.pages.map((it) => periodOf(board, it))).toEqual([60, 10]);
  });

  it("changes, copies and loses widgets", () => {
    const board = boardOf(CONTENT);
    const [page] = board.pages;
    const key = page?.widgets[0]?.key ?? "";
    const renamed = withWidget(board, key, (it) => ({ ...it, name: "CPU load" }));
    expect(renamed.pages[0]?.widgets[0]?.name).toBe("CPU load");
    const copied = page === undefined ? undefined : withCopy(board, page, key);
    const copy = copied?.pages[0]?.widgets[1];
    expect(copy).toMatchObject({ x: 36, y: 0, width: 36, height: 5, name: "Load" });
    expect(new Fields(copy?.fields ?? []).text("reference")).toBe("AAAAB");
    expect(copied === undefined ? [] : [...references(copied)]).toEqual(["AAAAA", "AAAAB"]);
    expect(withoutWidget(board, key).pages[0]?.widgets).toEqual([]);
  });
});

describe("undo", () => {
  it("goes back and forth", () => {
    const third = done(done(began("a"), "b"), "c");
    const back = undone(undone(third));
    expect(back.now).toBe("a");
    expect(undone(back).now).toBe("a");
    expect(redone(back).now).toBe("b");
    expect(redone(redone(back)).now).toBe("c");
    expect(redone(done(back, "d")).now).toBe("d");
  });

  it("takes what goes on as one step", () => {
    const typed = done(done(done(began(""), "S", "name"), "Se", "name"), "x");
    expect(undone(typed).now).toBe("Se");
    expect(undone(undone(typed)).now).toBe("");
  });
});
