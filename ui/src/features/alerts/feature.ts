import { IconSend } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const alerts = feature({
  title: t("Messages sent"),
  menu: { section: "alerts", icon: IconSend },
  least: SUPER_ADMIN,
  elements: ["reports.action_log"],
  guide: "media",
  words: t("Action log"),
  pages: [page("/alerts", () => import("./routes"), "AlertsRoute", { search: ["digest"] })],
});
