// Names of what graphs are made of, in the order of their codes.

import type { GraphKind } from "@/api/graphs";
import { t } from "@/lib/i18n";

export function kindName(kind: GraphKind): string {
  switch (kind) {
    case "stacked":
      return t("Stacked");
    case "pie":
      return t("Pie");
    case "exploded":
      return t("Exploded");
    default:
      return t("Normal");
  }
}
