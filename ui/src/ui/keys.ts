// Keyboard shortcuts: single keys, `Ctrl+k`, and sequences such as `g p`. Quiet while one types in a field
// or a dialog is open, except for shortcuts with a modifier.

import { useEffect, useRef } from "react";

// pressed on the way to another key
const MODIFIERS = new Set(["Shift", "Control", "Meta", "Alt"]);

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  );
}

/** Enter on a link or button is that link's or button's. */
function isPressing(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    event.key === "Enter" &&
    target instanceof HTMLElement &&
    target.closest('a,button,summary,[role="button"]') !== null
  );
}

function isTaken(event: KeyboardEvent): boolean {
  return isTyping(event) || isPressing(event);
}

function dialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

// A key that closes a dialog is the dialog's: its own listener is gone through before those of the page, which find it
// closed already. This one comes before all of them.
let wasDialogOpen = false;
window.addEventListener("keydown", () => (wasDialogOpen = dialogOpen()), { capture: true });

/** `Ctrl+k` for Ctrl or Cmd with a key, else the key as typed (`?`, `j`, `Enter`). */
function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">): string {
  return event.ctrlKey || event.metaKey ? `Ctrl+${event.key.toLowerCase()}` : event.key;
}

export interface KeyOptions {
  /** false switches the bindings off */
  readonly enabled?: boolean;
  /** act also while a dialog is open: for what belongs to that dialog */
  readonly inDialogs?: boolean;
}

export function useKeys(bindings: KeyBindings, options: KeyOptions = {}): void {
  const { enabled = true, inDialogs = false } = options;
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    // the key before: any key ends a sequence, no clock does, so that slow fingers and slow machines work
    let before = "";
    const onKey = (event: KeyboardEvent) => {
      const name = keyName(event);
      if (event.defaultPrevented || event.altKey || MODIFIERS.has(event.key)) return;
      if (!name.startsWith("Ctrl+") && (isTaken(event) || (wasDialogOpen && !inDialogs))) return;
      const action = latest.current[`${before} ${name}`] ?? latest.current[name];
      before = name;
      if (action === undefined) return;
      event.preventDefault();
      before = "";
      action(event);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [enabled, inDialogs]);
}
