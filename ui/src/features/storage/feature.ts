import { IconDatabase } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const storage = feature({
  title: t("Storage"),
  menu: { section: "administration", icon: IconDatabase },
  least: SUPER_ADMIN,
  elements: ["administration.housekeeping", "reports.system_info"],
  guide: "housekeeping",
  pages: [page("/storage", () => import("./storage-page"), "StoragePage")],
});
