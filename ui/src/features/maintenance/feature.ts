import { IconTool } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const maintenance = feature({
  title: t("Maintenance"),
  menu: { section: "collection", icon: IconTool },
  least: ADMIN,
  elements: ["configuration.maintenance"],
  guide: "maintenance",
  pages: [
    page("/maintenance", () => import("./routes"), "MaintenancesRoute", {
      search: ["q", "state"],
    }),
    page("/maintenance/$maintenanceid", () => import("./routes"), "MaintenanceRoute", {
      create: { title: t("New maintenance"), call: "maintenance.create" },
    }),
  ],
});
