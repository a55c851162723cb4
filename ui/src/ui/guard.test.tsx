import { MantineProvider } from "@mantine/core";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asDialog, Dialog } from "./dialog";
import { AGAIN_MS, Guard } from "./guard";
import { Page, Panel } from "./page";
import { SidePanel } from "./side-panel";
import { theme } from "./theme";

let value = "bad";

beforeEach(() => {
  value = "bad";
  // React reports each error that a guard catches
  vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

/** Breaks by its value, as a formatter does. */
function Part() {
  if (value === "bad") throw new RangeError("of the value");
  return <p>part</p>;
}

const onClose = vi.fn();

const BodyBreaks = asDialog(function Body({ onClose: close }: { onClose: () => void }) {
  if (value === "bad") throw new RangeError("of the value");
  return (
    <Dialog opened onClose={close} title="Dialog">
      <p>part</p>
    </Dialog>
  );
});

const PARTS: readonly (readonly [string, ReactNode])[] = [
  [
    "the content of a dialog",
    <Dialog key="a" opened onClose={onClose} title="Dialog">
      <Part />
    </Dialog>,
  ],
  ["a dialog that prepares its content", <BodyBreaks key="b" onClose={onClose} />],
  [
    "a panel",
    <Panel key="c" title="Panel">
      <Part />
    </Panel>,
  ],
];

const inTheme = (children: ReactNode) => (
  <MantineProvider theme={theme} env="test">
    {children}
  </MantineProvider>
);

const heading = () => screen.getByRole("heading", { level: 1, hidden: true }).textContent;

describe("an error takes its own part only", () => {
  it.each(PARTS)("%s", (_, part) => {
    render(
      inTheme(
        <Page title="Problems">
          <p>list</p>
          {part}
        </Page>,
      ),
    );
    expect(heading()).toBe("Problems");
    expect(screen.getByText("list")).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain("of the value");
    value = "good";
    fireEvent.click(screen.getByText("Try again"));
    expect(screen.getByText("part")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("details next to the list, and the list", () => {
    const aside = (
      <SidePanel title="Details" onClose={onClose}>
        <Part />
      </SidePanel>
    );
    const { rerender } = render(
      inTheme(
        <Page title="Problems" aside={aside}>
          <p>list</p>
        </Page>,
      ),
    );
    expect(screen.getByText("list")).toBeTruthy();
    expect(screen.getAllByRole("alert")).toHaveLength(1);
    value = "good";
    rerender(
      inTheme(
        <Page title="Problems" aside={<p>details</p>}>
          {"list"}
        </Page>,
      ),
    );
    value = "bad";
    rerender(
      inTheme(
        <Page title="Problems" aside={<p>details</p>}>
          <Part />
        </Page>,
      ),
    );
    expect(heading()).toBe("Problems");
    expect(screen.getByText("details")).toBeTruthy();
  });

  it("a broken dialog can be closed", () => {
    const close = vi.fn();
    render(inTheme(<BodyBreaks onClose={close} />));
    fireEvent.click(screen.getByLabelText("Close dialog"));
    expect(close).toHaveBeenCalledOnce();
  });
});

describe("a broken part comes back", () => {
  const guarded = () =>
    inTheme(
      <Guard>
        <Part />
      </Guard>,
    );

  it("by itself after a while, once its value is another", () => {
    vi.useFakeTimers();
    render(guarded());
    act(() => vi.advanceTimersByTime(AGAIN_MS));
    expect(screen.getByRole("alert")).toBeTruthy();
    value = "good";
    act(() => vi.advanceTimersByTime(AGAIN_MS));
    expect(screen.getByText("part")).toBeTruthy();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("with another address, as its object is another; not while the address is the same", () => {
    const { rerender } = render(guarded());
    value = "good";
    rerender(guarded());
    expect(screen.getByRole("alert")).toBeTruthy();
    window.history.replaceState(null, "", "/hosts/2");
    rerender(guarded());
    expect(screen.getByText("part")).toBeTruthy();
  });
});
