import { IconActivity } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

export const overview = feature({
  title: t("Overview"),
  menu: { section: "monitoring", icon: IconActivity },
  elements: ["monitoring.dashboard"],
  guide: "overview",
  shortcut: { keys: "g o", does: t("go to the overview") },
  pages: [page("/", () => import("./overview-page"), "OverviewPage")],
});
