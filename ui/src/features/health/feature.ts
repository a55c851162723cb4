import { IconHeartRateMonitor } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const health = feature({
  title: t("System health"),
  menu: { section: "administration", icon: IconHeartRateMonitor },
  least: SUPER_ADMIN,
  elements: ["reports.system_info"],
  guide: "overview",
  words: t("System information"),
  pages: [page("/system", () => import("./health-page"), "HealthPage")],
});
