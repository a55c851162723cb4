import { useLayoutEffect, useRef } from "react";

/** Buttons that are disabled while their work runs lose the focus; it comes back when that is done. */
export function useFocusBack(busy: boolean): void {
  const held = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (busy) {
      // browsers take the focus away after this
      held.current = document.activeElement;
      return;
    }
    const before = held.current;
    held.current = null;
    if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
  }, [busy]);
}
