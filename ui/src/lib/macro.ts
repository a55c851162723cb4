// Names of user macros: `{$NAME}`, `{$NAME:context}`, `{$NAME:regex:"…"}`.

import type { Check } from "@/lib/check";
import { bad, OK } from "@/lib/check";

export function checkMacroName(name: string): Check {
  if (!name.startsWith("{$")) return bad("a macro begins with {$", 0);
  if (!name.endsWith("}")) return bad("a macro ends with }", name.length);
  if (!/^\{\$[A-Z0-9_.]+(?::[\s\S]*)?\}$/.test(name)) {
    return bad("a macro's name has capital letters, digits, _ and . only", 2);
  }
  return OK;
}
