import { IconPlugConnected } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const connectors = feature({
  title: t("Connectors"),
  menu: { section: "administration", icon: IconPlugConnected },
  least: SUPER_ADMIN,
  elements: ["administration.general"],
  guide: "streaming",
  pages: [
    list("/connectors", () => import("./connectors-page"), "ConnectorsPage"),
    form("/connectors/$connectorid", () => import("./connectors-page"), "ConnectorPage", {
      create: { title: t("New connector"), call: "connector.create" },
    }),
  ],
});
