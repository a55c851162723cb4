// Time zones to choose from.

import { t } from "./i18n";

/** "default", which is the server's, and all that the browser knows. */
export function zoneOptions(): { value: string; label: string }[] {
  return [
    { value: "default", label: t("As the server") },
    ...Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone })),
  ];
}
