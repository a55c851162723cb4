import { IconSettings, IconTrash } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const settings = feature({
  title: t("General settings"),
  menu: { section: "administration", icon: IconSettings },
  least: SUPER_ADMIN,
  elements: ["administration.general"],
  guide: "settings",
  pages: [page("/settings", () => import("./routes"), "GeneralSettingsRoute")],
});

export const housekeeping = feature({
  title: t("Housekeeping"),
  menu: { section: "administration", icon: IconTrash },
  least: SUPER_ADMIN,
  elements: ["administration.housekeeping"],
  guide: "housekeeping",
  pages: [page("/housekeeping", () => import("./routes"), "HousekeepingRoute")],
});
