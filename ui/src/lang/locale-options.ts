// Languages to choose from in a user's fields.

import { t } from "@/lib/i18n";
import { LANGUAGES } from "./languages";

/** `set` may be another one: clients of the API may set any of Zabbix's, which these pages show in English. */
export function localeOptions(set: string): { value: string; label: string }[] {
  const known = [
    { value: "default", label: t("Server default, then browser") },
    ...LANGUAGES.flatMap(({ name, locales }) =>
      locales.map((value) => ({ value, label: `${name} (${value})` })),
    ),
  ];
  return known.some(({ value }) => value === set) ? known : [...known, { value: set, label: set }];
}
