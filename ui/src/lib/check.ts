// The answer of a syntax check made while one types.

import { t } from "./i18n";

export type Check =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly position: number };

export const OK: Check = { ok: true };

export function bad(message: string, position: number): Check {
  return { ok: false, message, position };
}

/** What a character is that the syntax has no place for. */
export function unexpected(char: string | undefined): string {
  return t('"{char}" is not expected here', { char: char ?? "" });
}

export function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}
