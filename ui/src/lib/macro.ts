// Names of user macros: `{$NAME}`, `{$NAME:context}`, `{$NAME:regex:"…"}`.

import type { Check } from "@/lib/check";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

export function checkMacroName(name: string): Check {
  if (!name.startsWith("{$")) return bad(t("a macro begins with {$"), 0);
  if (!name.endsWith("}")) return bad(t("a macro ends with }"), name.length);
  if (!/^\{\$[A-Z0-9_.]+(?::[\s\S]*)?\}$/.test(name)) {
    return bad(t("a macro's name has capital letters, digits, _ and . only"), 2);
  }
  return OK;
}

/** Names have capital letters only; the context after the colon keeps its case. */
export function upperCaseName(macro: string): string {
  const colon = macro.indexOf(":");
  return colon < 0 ? macro.toUpperCase() : macro.slice(0, colon).toUpperCase() + macro.slice(colon);
}
