import { IconHistory } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const audit = feature({
  title: t("Audit log"),
  menu: { section: "users", icon: IconHistory },
  least: SUPER_ADMIN,
  elements: ["reports.audit"],
  guide: "users",
  pages: [
    page("/audit", () => import("./routes"), "AuditRoute", {
      search: ["q", "user", "action", "type", "within"],
    }),
  ],
});
