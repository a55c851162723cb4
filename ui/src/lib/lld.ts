// Low-level discovery as users write it: names of macros.

import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

export function checkLldMacro(name: string): Check {
  if (name.trim() === "") return bad(t("an LLD macro is required"), 0);
  return /^\{#[A-Z0-9_.]+\}$/.test(name) ? OK : bad(t("not an LLD macro such as {#FSNAME}"), 0);
}
