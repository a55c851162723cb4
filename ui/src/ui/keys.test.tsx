import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { useKeys } from "./keys";

function Keys({ bindings }: { readonly bindings: Parameters<typeof useKeys>[0] }) {
  useKeys(bindings);
  return <input aria-label="field" />;
}

function press(...keys: string[]): void {
  for (const key of keys) fireEvent.keyDown(document.body, { key });
}

describe("keyboard shortcuts", () => {
  it("follow sequences, which any other key ends", () => {
    const bindings = { "g p": vi.fn(), p: vi.fn(), j: vi.fn() };
    render(<Keys bindings={bindings} />);
    press("g", "p");
    expect(bindings["g p"]).toHaveBeenCalledTimes(1);
    expect(bindings.p).not.toHaveBeenCalled();
    press("g", "j", "p");
    expect(bindings["g p"]).toHaveBeenCalledTimes(1);
    expect(bindings.j).toHaveBeenCalledTimes(1);
    expect(bindings.p).toHaveBeenCalledTimes(1);
  });

  it("take keys that need shift", () => {
    const bindings = { "?": vi.fn() };
    render(<Keys bindings={bindings} />);
    press("Shift", "?");
    expect(bindings["?"]).toHaveBeenCalledTimes(1);
  });

  it("leave a key to the dialog that it closes", () => {
    const bindings = { Escape: vi.fn() };
    render(<Keys bindings={bindings} />);
    const dialog = document.createElement("div");
    dialog.setAttribute("role", "dialog");
    dialog.setAttribute("aria-modal", "true");
    document.body.append(dialog);
    // as dialogs do: closed before the page's own listeners hear of it
    const close = () => dialog.remove();
    window.addEventListener("keydown", close, { capture: true, once: true });
    press("Escape");
    expect(bindings.Escape).not.toHaveBeenCalled();
    press("Escape");
    expect(bindings.Escape).toHaveBeenCalledTimes(1);
  });

  it("keep quiet in fields, except with a modifier", () => {
    const bindings = { j: vi.fn(), "Ctrl+k": vi.fn() };
    render(<Keys bindings={bindings} />);
    const field = screen.getByRole("textbox", { name: "field" });
    fireEvent.keyDown(field, { key: "j" });
    fireEvent.keyDown(field, { key: "k", ctrlKey: true });
    fireEvent.keyDown(field, { key: "K", metaKey: true });
    expect(bindings.j).not.toHaveBeenCalled();
    expect(bindings["Ctrl+k"]).toHaveBeenCalledTimes(2);
  });

  it("leave Enter to the link or button that has the focus", () => {
    const bindings = { Enter: vi.fn(), j: vi.fn() };
    render(
      <>
        <Keys bindings={bindings} />
        <a href="/hosts">
          <b>web01</b>
        </a>
        <button type="button">Sort</button>
      </>,
    );
    for (const target of [screen.getByText("web01"), screen.getByText("Sort")]) {
      expect(fireEvent.keyDown(target, { key: "Enter" })).toBe(true);
      fireEvent.keyDown(target, { key: "j" });
    }
    expect(bindings.Enter).not.toHaveBeenCalled();
    expect(bindings.j).toHaveBeenCalledTimes(2);
    press("Enter");
    expect(bindings.Enter).toHaveBeenCalledTimes(1);
  });

  it("keep quiet while a dialog is open", () => {
    const bindings = { e: vi.fn() };
    render(
      <>
        <Keys bindings={bindings} />
        <div role="dialog" aria-modal="true" />
      </>,
    );
    press("e");
    expect(bindings.e).not.toHaveBeenCalled();
  });
});
