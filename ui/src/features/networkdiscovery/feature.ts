import { IconRadar, IconRouter } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { ADMIN } from "@/lib/user-type";
import { feature, form, list, page } from "@/ui/feature";

export const discovered = feature({
  title: t("Discovered devices"),
  menu: { section: "collection", icon: IconRouter },
  least: ADMIN,
  elements: ["monitoring.discovery"],
  guide: "network-discovery",
  words: t("Discovery"),
  pages: [
    page("/discovered", () => import("./routes"), "DiscoveredRoute", {
      search: ["q", "rule", "status"],
    }),
  ],
});

export const networkDiscovery = feature({
  title: t("Network discovery"),
  menu: { section: "collection", icon: IconRadar },
  least: ADMIN,
  elements: ["configuration.discovery"],
  guide: "network-discovery",
  pages: [
    list("/network-discovery", () => import("./rules-page"), "NetworkRulesPage"),
    form("/network-discovery/$druleid", () => import("./rules-page"), "NetworkRulePage", {
      create: { title: t("New network discovery rule"), call: "drule.create" },
    }),
  ],
});
