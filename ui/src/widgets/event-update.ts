// What a user did to a problem, in words.

import type { EventAcknowledge } from "@/api/types";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatDateTime } from "@/lib/time";

export function describeUpdate({
  action,
  old_severity,
  new_severity,
  suppress_until,
}: EventAcknowledge): string {
  const bits = Number(action);
  const parts: string[] = [];
  if ((bits & 2) !== 0) parts.push(t("acknowledged"));
  if ((bits & 16) !== 0) parts.push(t("unacknowledged"));
  if ((bits & 1) !== 0) parts.push(t("closed"));
  if ((bits & 8) !== 0) {
    parts.push(
      t("severity {from} → {to}", {
        from: severityName(toSeverity(old_severity)),
        to: severityName(toSeverity(new_severity)),
      }),
    );
  }
  if ((bits & 32) !== 0) {
    parts.push(
      suppress_until === "0"
        ? t("suppressed indefinitely")
        : t("suppressed until {time}", { time: formatDateTime(Number(suppress_until)) }),
    );
  }
  if ((bits & 64) !== 0) parts.push(t("unsuppressed"));
  if ((bits & 128) !== 0) parts.push(t("marked as cause"));
  if ((bits & 256) !== 0) parts.push(t("marked as symptom"));
  return parts.join(", ");
}
