// A dashboard while it is shown or edited: numbers as numbers, and a key for each page and widget that stays
// while others come and go.

import type { DashboardContent, WidgetField } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { Fields, newReference } from "./fields";
import { freePlace, type Place } from "./layout";

export interface WidgetDraft extends Place {
  readonly key: string;
  /** undefined until it is saved */
  readonly id: Id | undefined;
  readonly type: string;
  readonly name: string;
  readonly hideHeader: boolean;
  readonly fields: readonly WidgetField[];
}

export interface PageDraft {
  readonly key: string;
  readonly id: Id | undefined;
  readonly name: string;
  /** seconds in a slideshow; 0: as the dashboard says */
  readonly period: number;
  readonly widgets: readonly WidgetDraft[];
}

export interface BoardDraft {
  readonly name: string;
  readonly period: number;
  readonly autoStart: boolean;
  readonly pages: readonly PageDraft[];
}

export const PERIODS: readonly number[] = [10, 30, 60, 120, 600, 1800, 3600];
export const PAGES_MAX = 50;

let lastKey = 0;

export function newKey(): string {
  lastKey += 1;
  return `w${lastKey}`;
}

export function emptyPage(name = ""): PageDraft {
  return { key: newKey(), id: undefined, name, period: 0, widgets: [] };
}

export function emptyBoard(name: string): BoardDraft {
  return { name, period: 30, autoStart: true, pages: [emptyPage()] };
}

export function boardOf(content: DashboardContent): BoardDraft {
  const pages = content.pages.map(
    (page): PageDraft => ({
      key: newKey(),
      id: page.dashboard_pageid,
      name: page.name,
      period: Number(page.display_period),
      widgets: page.widgets.map(
        (it): WidgetDraft => ({
          key: newKey(),
          id: it.widgetid,
          type: it.type,
          name: it.name,
          hideHeader: it.view_mode === "1",
          x: Number(it.x),
          y: Number(it.y),
          width: Number(it.width),
          height: Number(it.height),
          fields: it.fields,
        }),
      ),
    }),
  );
  return {
    name: content.name,
    period: Number(content.display_period),
    autoStart: content.auto_start === "1",
    pages: pages.length === 0 ? [emptyPage()] : pages,
  };
}

/** As it is saved. */
export function contentOf(board: BoardDraft): DashboardContent {
  return {
    name: board.name.trim(),
    display_period: String(board.period),
    auto_start: board.autoStart ? "1" : "0",
    pages: board.pages.map((page) => ({
      ...(page.id === undefined ? {} : { dashboard_pageid: page.id }),
      name: page.name,
      display_period: String(page.period),
      widgets: page.widgets.map((it) => ({
        ...(it.id === undefined ? {} : { widgetid: it.id }),
        type: it.type,
        name: it.name,
        view_mode: it.hideHeader ? "1" : "0",
        x: String(it.x),
        y: String(it.y),
        width: String(it.width),
        height: String(it.height),
        fields: it.fields,
      })),
    })),
  };
}

/** Of a dashboard that is made of another one: nothing in it is there yet. */
export function asNew(board: BoardDraft): BoardDraft {
  const pages = board.pages.map((page) => ({
    ...page,
    id: undefined,
    widgets: page.widgets.map((it) => ({ ...it, id: undefined })),
  }));
  return { ...board, pages };
}

export function withPage(
  board: BoardDraft,
  key: string,
  change: (page: PageDraft) => PageDraft,
): BoardDraft {
  return { ...board, pages: board.pages.map((it) => (it.key === key ? change(it) : it)) };
}

export function withWidget(
  board: BoardDraft,
  key: string,
  change: (widget: WidgetDraft) => WidgetDraft,
): BoardDraft {
  const pages = board.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((it) => (it.key === key ? change(it) : it)),
  }));
  return { ...board, pages };
}

export function withoutWidget(board: BoardDraft, key: string): BoardDraft {
  const pages = board.pages.map((page) => ({
    ...page,
    widgets: page.widgets.filter((it) => it.key !== key),
  }));
  return { ...board, pages };
}

/** References of all widgets: what others listen to. */
export function references(board: BoardDraft): ReadonlySet<string> {
  const all = board.pages.flatMap((page) => page.widgets);
  return new Set(all.map((it) => new Fields(it.fields).text("reference")).filter(Boolean));
}

/** A copy next to the original, if the page has room; its reference for listening widgets is its own. */
export function withCopy(board: BoardDraft, page: PageDraft, key: string): BoardDraft | undefined {
  const original = page.widgets.find((it) => it.key === key);
  if (original === undefined) return undefined;
  const place = freePlace(page.widgets, original.width, original.height);
  if (place === undefined) return undefined;
  const reference = newReference(references(board));
  const fields = original.fields.map((it) =>
    it.name === "reference" ? { ...it, value: reference } : it,
  );
  const copy = { ...original, ...place, fields, key: newKey(), id: undefined };
  return withPage(board, page.key, (it) => ({ ...it, widgets: [...it.widgets, copy] }));
}

/** Seconds that a page is shown in the slideshow. */
export function periodOf(board: BoardDraft, page: PageDraft): number {
  return page.period === 0 ? board.period : page.period;
}

// ---- undo

const STEPS_MAX = 100;

/** The states of an edited object before and after the undone steps. */
export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
  /** changes of the same name in a row are one step: the letters of a name */
  readonly step: string;
}

export function began<T>(now: T): History<T> {
  return { past: [], now, future: [], step: "" };
}

export function done<T>(history: History<T>, next: T, step = ""): History<T> {
  if (Object.is(next, history.now)) return history;
  const goesOn = step !== "" && step === history.step;
  const past = goesOn ? history.past : [...history.past, history.now].slice(-STEPS_MAX);
  return { past, now: next, future: [], step };
}

export function undone<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const future = [history.now, ...history.future];
  return { past: history.past.slice(0, -1), now: before, future, step: "" };
}

export function redone<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future, step: "" };
}
