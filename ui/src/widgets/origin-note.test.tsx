import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { TestRouter } from "@/ui/test-router";
import { OriginNote, type OriginNoteProps } from "./origin-note";

afterEach(() => vi.unstubAllGlobals());

function show(answer: unknown, props: OriginNoteProps) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    return new Response(JSON.stringify(answer), {
      headers: { "Content-Type": "application/json" },
    });
  });
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <TestRouter>
        <OriginNote {...props} />
      </TestRouter>
    </QueryClientProvider>,
  );
  return asked;
}

const place = { kind: "item_prototype", ruleid: "7" };

test("an inherited object names and links its templates, the owning one first", async () => {
  const templates = [
    { ...place, templateid: "2", name: "Top", id: "22" },
    { ...place, templateid: "1", name: "Base", id: "11" },
  ];
  const asked = show(
    { templates, discovered_by: null },
    { owner: { kind: "host", id: "5" }, of: { kind: "item", id: "33" }, inherited: true },
  );
  const base = await screen.findByRole("link", { name: "Base" });
  expect(base.getAttribute("href")).toBe("/templates/1/discovery/7/prototypes/11");
  expect(screen.getByText(/Inherited from/).textContent).toBe(
    "Inherited from Base through Top. Change gray fields there, for all its hosts.",
  );
  expect(asked).toEqual(["/api/v1/origin?itemid=33"]);
});

test("of a template that the user may not see only that it is there", async () => {
  const templates = [{ templateid: "0", name: "", kind: "trigger", id: "0", ruleid: "0" }];
  show(
    { templates, discovered_by: null },
    { owner: { kind: "host", id: "5" }, of: { kind: "trigger", id: "3" }, inherited: true },
  );
  expect(await screen.findByText(/a template to which you have no access/)).toBeDefined();
  expect(screen.queryByRole("link")).toBeNull();
});

test("a discovered object names and links its rule and prototype", async () => {
  const discovered_by = { ruleid: "7", name: "Disks", prototypeid: "9" };
  show(
    { templates: [], discovered_by },
    {
      owner: { kind: "host", id: "5" },
      of: { kind: "trigger", id: "3" },
      inherited: false,
      discovered: true,
    },
  );
  const rule = await screen.findByRole("link", { name: "Disks" });
  expect(rule.getAttribute("href")).toBe("/hosts/5/discovery/7");
  const prototype = screen.getByRole("link", { name: "prototype" });
  expect(prototype.getAttribute("href")).toBe("/hosts/5/discovery/7/trigger-prototypes/9");
});
