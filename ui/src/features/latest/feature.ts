import { IconDeviceDesktop } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";
import { GRAPH_VIEW_SEARCH } from "@/widgets/graph/view";

const SEARCH = ["q", "hosts", "groups", "show", "item"] as const;
const routes = () => import("./routes");

export const latest = feature({
  title: t("Latest data"),
  menu: { section: "monitoring", icon: IconDeviceDesktop },
  elements: ["monitoring.latest_data"],
  guide: "graphs",
  shortcut: { keys: "g l", does: t("go to latest data") },
  filtered: [{ title: t("Unsupported items"), href: "/latest?show=unsupported" }],
  pages: [
    page("/latest", routes, "LatestRoute", { search: SEARCH }),
    page("/latest/graph", routes, "LatestGraphRoute", {
      search: ["items", "join", ...GRAPH_VIEW_SEARCH],
    }),
    page("/latest/history", routes, "HistoryRoute", { search: ["items", "from", "to", "q"] }),
  ],
  ofHost: [page("latest", routes, "HostLatestRoute", { search: SEARCH })],
});
