// How many forms on the screen differ from what they began with: for leaving by other ways than navigation.

import { t } from "@/lib/i18n";

export const LEAVE = t("Leave without saving?");
export const LOST = t("Your changes are not saved and would be lost.");

let changed = 0;

/** Returns how to take it back. */
export function formChanged(): () => void {
  changed += 1;
  return () => {
    changed -= 1;
  };
}

export function hasChangedForms(): boolean {
  return changed > 0;
}

/** Asks where something would be lost; the answer is there before anything else happens. */
export function mayLeave(): boolean {
  return changed === 0 || window.confirm(`${LEAVE} ${LOST}`);
}
