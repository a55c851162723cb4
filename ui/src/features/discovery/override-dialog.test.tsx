import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { LldOverride } from "@/api/types";
import { TestRouter } from "@/ui/test-router";
import { type OverrideDraft, overrideOf, toOverrides } from "./lld-drafts";
import { OverrideDialog } from "./override-dialog";

const OVERRIDE: LldOverride = {
  name: "databases",
  step: "1",
  stop: "0",
  filter: { evaltype: "0", formula: "", conditions: [] },
  operations: [
    { operationobject: "3", operator: "2", value: "db", optemplate: [{ templateid: "7" }] },
  ],
};

const TEMPLATES = [
  { templateid: "7", host: "Linux", name: "Linux" },
  { templateid: "8", host: "PostgreSQL", name: "PostgreSQL" },
];

function open(disabled = false) {
  vi.stubGlobal("fetch", async () => Response.json({ jsonrpc: "2.0", id: 1, result: TEMPLATES }));
  const onApply = vi.fn<(override: OverrideDraft) => void>();
  const onClose = vi.fn();
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <OverrideDialog
            override={overrideOf(OVERRIDE)}
            others={[]}
            disabled={disabled}
            onApply={onApply}
            onClose={onClose}
          />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), onApply, onClose };
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("templates of an operation on hosts are picked by name, those it has are kept", async () => {
  const { user, onApply } = open();
  await screen.findByText("Linux");
  await user.click(screen.getByLabelText("Link templates", { selector: "input" }));
  await user.click(await screen.findByRole("option", { name: "PostgreSQL", hidden: true }));
  await user.click(screen.getByRole("button", { name: "Apply" }));
  const [made] = toOverrides(onApply.mock.calls[0] ?? []);
  expect(made?.operations[0]?.optemplate).toEqual([{ templateid: "7" }, { templateid: "8" }]);
});

it("are shown where they cannot be changed", async () => {
  open(true);
  await screen.findByText("Linux");
  const field = screen.getByLabelText<HTMLInputElement>("Link templates", { selector: "input" });
  expect(field.disabled).toBe(true);
});

it("a click next to it closes it only while nothing was changed", async () => {
  const { user, onClose } = open();
  const clickOverlay = () => {
    const overlay = document.querySelector(".mantine-Modal-overlay");
    return overlay === null ? expect.fail("there is no overlay") : user.click(overlay);
  };
  await user.type(await screen.findByRole("textbox", { name: "Name" }), " on Linux");
  await clickOverlay();
  await user.click(await screen.findByRole("button", { name: "Stay" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stay" })).toBeNull());
  expect(onClose).not.toHaveBeenCalled();
  await user.type(screen.getByRole("textbox", { name: "Name" }), "{Backspace>9/}");
  await clickOverlay();
  expect(onClose).toHaveBeenCalledOnce();
});
