// Which time zone the times next to it are in.

import { t } from "@/lib/i18n";
import { nowSeconds, zoneName } from "@/lib/time";
import { zoneLabel } from "@/lib/zone";

/** Short, with its distance from UTC in the tooltip. */
export function ZoneName() {
  const zone = zoneName();
  return (
    <span className="dim" title={timesIn(zone)} data-zone>
      {zone}
    </span>
  );
}

/** "Times are in Europe/Berlin (UTC+1)." */
export function timesIn(zone: string): string {
  return t("Times are in {zone}.", { zone: zoneLabel(nowSeconds(), zone) });
}
