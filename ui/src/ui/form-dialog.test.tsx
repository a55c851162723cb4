import { MantineProvider, TextInput } from "@mantine/core";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { mayLeave } from "./changed-forms";
import { FormDialog } from "./form-dialog";
import { roomBelow } from "./notices";
import { TestRouter } from "./test-router";
import { theme } from "./theme";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Named({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("web");
  return (
    <FormDialog title="Host" changed={name !== "web"} onClose={onClose}>
      <TextInput label="Name" value={name} onChange={(it) => setName(it.currentTarget.value)} />
    </FormDialog>
  );
}

async function open() {
  const onClose = vi.fn();
  render(
    <MantineProvider theme={theme} env="test">
      <TestRouter>
        <Named onClose={onClose} />
      </TestRouter>
    </MantineProvider>,
  );
  await screen.findByLabelText("Name");
  return { user: userEvent.setup(), onClose };
}

const overlayOf = () => {
  const overlay = document.querySelector(".mantine-Modal-overlay");
  if (overlay === null) throw new Error("there is nothing next to the dialog");
  return overlay;
};

const WAYS: readonly (readonly [string, (user: ReturnType<typeof userEvent.setup>) => unknown])[] =
  [
    ["Escape", (user) => user.keyboard("{Escape}")],
    ["the close button", (user) => user.click(screen.getByLabelText("Close dialog"))],
    ["a click next to it", (user) => user.click(overlayOf())],
  ];

describe("closing a dialog with fields", () => {
  it.each(WAYS)("%s closes it while nothing is changed", async (_, close) => {
    const { user, onClose } = await open();
    await close(user);
    expect(onClose).toHaveBeenCalledOnce();
  });

  it.each(WAYS)("%s asks once something is, and what was typed stays", async (_, close) => {
    const { user, onClose } = await open();
    await user.type(screen.getByLabelText("Name"), "01");
    await close(user);
    await screen.findByText("Close this dialog?");
    // answers the question, not the dialog below it
    await user.keyboard("{Escape}");
    expect(onClose).not.toHaveBeenCalled();
    await waitFor(() => expect(screen.queryByText("Close this dialog?")).toBeNull());
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("web01");
    await close(user);
    await user.click(await screen.findByText("Close"));
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("nothing is asked when the change is taken back; other ways to leave ask as well", async () => {
    const { user, onClose } = await open();
    const confirm = vi.fn(() => false);
    vi.stubGlobal("confirm", confirm);
    await user.type(screen.getByLabelText("Name"), "1");
    expect(mayLeave()).toBe(false);
    await user.type(screen.getByLabelText("Name"), "{Backspace}");
    expect(mayLeave()).toBe(true);
    await user.keyboard("{Escape}");
    expect(onClose).toHaveBeenCalledOnce();
  });
});

describe("notifications", () => {
  const screenSize = { width: 1440, height: 900 };
  const foot = (top: number, right = 1300) => ({ top, bottom: top + 50, right });

  it.each([
    ["no form", [], 0],
    ["a foot at the lower edge", [foot(850)], 58],
    ["two, one in a dialog above the page", [foot(850), foot(700)], 208],
    ["one that ends left of them", [foot(850, 900)], 0],
    ["one far above them", [foot(300)], 0],
    ["one scrolled out of view", [foot(950)], 0],
    ["one that is hidden", [{ top: 0, bottom: 0, right: 0 }], 0],
  ])("stand above the buttons: %s", (_, feet, room) => {
    expect(roomBelow(feet, screenSize)).toBe(room);
  });
});
