// When a user was last there.

import { t } from "@/lib/i18n";
import { formatAge } from "@/lib/time";

/** As in Zabbix: whose session was used within the last ten minutes. */
const ONLINE_SECONDS = 600;

export function isOnline(last: number, now: number): boolean {
  return now - last < ONLINE_SECONDS;
}

export function seenText(last: number, now: number): string {
  return isOnline(last, now) ? t("online") : t("{age} ago", { age: formatAge(now - last) });
}
