// When a user was last there.

import type { LastSeen } from "@/api/users";
import { t } from "@/lib/i18n";
import { formatAge } from "@/lib/time";

/** As in Zabbix: whose session was used within the last ten minutes. */
const ONLINE_SECONDS = 600;

export function isOnline({ lastaccess, session }: LastSeen, now: number): boolean {
  return session && now - lastaccess < ONLINE_SECONDS;
}

export function seenText(last: LastSeen, now: number): string {
  if (isOnline(last, now)) return t("online");
  return t("{age} ago", { age: formatAge(Math.max(0, now - last.lastaccess)) });
}
