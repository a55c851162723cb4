import { IconServer } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

const routes = () => import("./routes");

export const hosts = feature({
  title: t("Hosts"),
  menu: { section: "collection", icon: IconServer },
  elements: ["monitoring.hosts", "configuration.hosts"],
  guide: "hosts",
  shortcut: { keys: "g h", does: t("go to hosts") },
  pages: [
    page("/hosts", routes, "HostsRoute", {
      search: ["q", "groups", "templates", "tags", "status", "availability", "sort"],
    }),
    page("/hosts/new", routes, "HostNewRoute", {
      create: { title: t("New host"), call: "host.create" },
    }),
    page("/start", routes, "StartRoute", {
      search: ["way"],
      heading: t("Start here"),
      guide: "first-steps",
    }),
  ],
  ofHost: [
    page("overview", routes, "HostOverviewRoute", {
      search: ["from", "to", "q"],
      guide: "host-overview",
    }),
    page("graphs", routes, "HostGraphsRoute", { search: ["from", "to", "q"], guide: "graphs" }),
    page("inventory", routes, "HostInventoryRoute", { search: ["q", "show"], guide: "inventory" }),
    page("inventory/edit", routes, "HostInventoryEditRoute", { guide: "inventory" }),
    page("configuration", routes, "HostEditRoute"),
  ],
});
