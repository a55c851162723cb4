import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ImportResult } from "./import-dialog";

test("an import tells which items will have no values, by type", () => {
  const templates = Array.from({ length: 10 }, (_, n) => `T${n}`);
  const report = {
    templates,
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
});
