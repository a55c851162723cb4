// @vitest-environment happy-dom

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { KeptView } from "@/api/views";
import { moveViews, nameOfView, readViews, viewsOfBrowser } from "./views";

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const KEY = "saker.problem-views.1";

test("whatever is kept gives usable views in order of their names", () => {
  const kept = [
    { name: "b", search: { sev: "9", no: "1" } },
    { name: "a", search: { sev: "5", q: "db", event: "7" } },
  ];
  expect(readViews(kept)).toEqual([
    { name: "a", search: { sev: "5", q: "db" } },
    { name: "b", search: {} },
  ]);
  expect(nameOfView(`  ${"é".repeat(70)} `)).toHaveLength(60);
});

test("kept views are read, and invalid ones skipped", () => {
  expect(viewsOfBrowser("1")).toEqual([]);
  localStorage.setItem(KEY, '[1,{"name":" x ","search":{"q":"a"}},{"name":2},{"name":"y"}]');
  expect(viewsOfBrowser("1")).toEqual([{ name: "x", search: { q: "a" } }]);
  expect(viewsOfBrowser("2")).toEqual([]);
  localStorage.setItem(KEY, "{");
  expect(viewsOfBrowser("1")).toEqual([]);
});

test("views of the browser move to the server once, but for names that it has", async () => {
  const views = [
    { name: "Mine", search: { q: "old" } },
    { name: "New", search: { q: "new" } },
  ];
  localStorage.setItem(KEY, JSON.stringify(views));
  let there: KeptView[] = [{ name: "Mine", search: { q: "server" } }];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    expect(url).toBe("/api/v1/views");
    there = [...there, JSON.parse(String(init.body))];
    return new Response(JSON.stringify({ views: there }));
  });
  const all = await moveViews("1", there);
  expect(all).toEqual([
    { name: "Mine", search: { q: "server" } },
    { name: "New", search: { q: "new" } },
  ]);
  expect(viewsOfBrowser("1")).toEqual([]);
  expect(await moveViews("1", all)).toEqual(all);
});

test("what could not be moved stays in the browser", async () => {
  localStorage.setItem(KEY, JSON.stringify([{ name: "a", search: {} }]));
  vi.stubGlobal("fetch", async () => new Response("{}", { status: 503 }));
  await expect(moveViews("1", [])).rejects.toThrow();
  expect(viewsOfBrowser("1")).toHaveLength(1);
});
