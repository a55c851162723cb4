import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { TestRouter } from "@/ui/test-router";
import { ImportDialog, ImportResult } from "./import-dialog";

test("an import lists items that will have no values, by type", () => {
  const templates = Array.from({ length: 10 }, (_, n) => `T${n}`);
  const report = {
    templates,
    hosts: ["H"],
    changes: { items: { created: 12, updated: 1, deleted: 0 } },
    left_out: { dashboards: 2 },
    not_collected: [
      { type: "19", items: 1234, templates },
      { type: "16", items: 1, templates: ["T1"] },
    ],
  };
  render(
    <MantineProvider>
      <ImportResult report={report} onClose={() => undefined} />
    </MantineProvider>,
  );
  const items = screen.getAllByRole("listitem").map((it) => it.textContent);
  expect(items.slice(-2)).toEqual([
    "HTTP agent: 1,234 items T0, T1, T2, T3, T4, T5, T6, T7 and 2 more",
    "JMX agent: 1 item T1",
  ]);
  expect(screen.getByText(/2 × dashboards/)).toBeDefined();
  expect(items[0]).toBe("items: 12 created, 1 updated");
});

test("changes are shown before anything is imported", async () => {
  const requests: string[] = [];
  const report = { templates: ["T"], hosts: [], changes: {}, left_out: {}, not_collected: [] };
  const diff = { templates: { added: [{ after: { template: "T", name: "A template" } }] } };
  vi.stubGlobal("fetch", async (path: string) => {
    requests.push(path);
    const answer = path.endsWith("/preview") ? { ...report, diff } : report;
    return new Response(JSON.stringify(answer), { status: 200 });
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <TestRouter>
          <ImportDialog opened onClose={() => undefined} />
        </TestRouter>
      </MantineProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("dialog");
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (input === null) throw new Error("there is no field for a file");
  fireEvent.change(input, { target: { files: [new File(["zabbix_export:"], "a.yaml")] } });
  fireEvent.click(screen.getByRole("button", { name: "Show changes" }));
  expect(await screen.findByText(/1 added, 0 updated, 0 removed/)).toBeDefined();
  expect(requests).toEqual(["/api/v1/import/preview"]);
  fireEvent.click(screen.getByRole("button", { name: "Import" }));
  expect(await screen.findByRole("status")).toBeDefined();
  expect(requests).toEqual(["/api/v1/import/preview", "/api/v1/import"]);
  vi.unstubAllGlobals();
});
