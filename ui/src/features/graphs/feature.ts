import { IconChartLine } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";
import { GRAPH_VIEW_SEARCH } from "@/widgets/graph/view";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

const routes = () => import("./routes");

export const graphs = feature({
  title: t("Graphs"),
  menu: { section: "monitoring", icon: IconChartLine },
  elements: ["monitoring.latest_data", "monitoring.hosts"],
  guide: "graphs",
  pages: [
    page("/graphs", routes, "GraphsRoute", {
      search: ["q", "hosts", "groups", "show", ...GRAPH_VIEW_SEARCH],
    }),
    page("/graphs/$graphid", routes, "GraphRoute", { search: GRAPH_VIEW_SEARCH }),
  ],
  parts: [
    ownerList("graphs/list", () => import("./list-page"), "GraphListPage"),
    ownerForm("graphs/list/$graphid", () => import("./config-page"), "GraphConfigPage"),
    ownerForm(
      "discovery/$ruleid/graph-prototypes/$graphid",
      () => import("./config-page"),
      "GraphPrototypePage",
    ),
  ],
});
