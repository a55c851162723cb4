import { IconLayoutDashboard } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, type Load, list, page } from "@/ui/feature";

const SEARCH = ["page", "from", "to", "host", "full"] as const;

type Name =
  | "DashboardRoute"
  | "DashboardEditRoute"
  | "HostDashboardsRoute"
  | "TemplateDashboardsRoute"
  | "TemplateDashboardRoute";

/** `load`: pages of dashboards with the widgets of other features. */
export const dashboards = (load: Load<Name>) =>
  feature({
    title: t("Dashboards"),
    menu: { section: "monitoring", icon: IconLayoutDashboard },
    elements: ["monitoring.dashboard"],
    guide: "dashboards",
    shortcut: { keys: "g d", does: t("go to dashboards") },
    pages: [
      list("/dashboards", () => import("./dashboards-page"), "DashboardsPage"),
      page("/dashboards/$dashboardid", load, "DashboardRoute", { search: SEARCH }),
      page("/dashboards/$dashboardid/edit", load, "DashboardEditRoute", {
        search: ["copy", "page"],
      }),
    ],
    ofHost: [page("dashboards", load, "HostDashboardsRoute", { search: [...SEARCH, "dashboard"] })],
    ofTemplate: [
      page("dashboards", load, "TemplateDashboardsRoute"),
      page("dashboards/$dashboardid", load, "TemplateDashboardRoute", { search: ["copy"] }),
    ],
  });
