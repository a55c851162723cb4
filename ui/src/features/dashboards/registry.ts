// Kinds of widgets by Zabbix's names: one line each, and one file in `widgets/`, which is loaded when the first
// of the kind is shown.

import { t } from "@/lib/i18n";
import type { WidgetEntry } from "./kind";

function entry(
  name: string,
  width: number,
  height: number,
  load: WidgetEntry["load"],
): WidgetEntry {
  return { name, width, height, load };
}

export const REGISTRY: Readonly<Record<string, WidgetEntry>> = {
  actionlog: entry(t("Action log"), 36, 5, () => import("./widgets/actionlog")),
  clock: entry(t("Clock"), 12, 3, () => import("./widgets/clock")),
  dataover: entry(t("Data overview"), 36, 5, () => import("./widgets/dataover")),
  discovery: entry(t("Discovery status"), 18, 3, () => import("./widgets/discovery")),
  gauge: entry(t("Gauge"), 18, 4, () => import("./widgets/gauge")),
  geomap: entry(t("Geomap"), 36, 6, () => import("./widgets/geomap")),
  graph: entry(t("Graph (classic)"), 36, 5, () => import("./widgets/graph")),
  graphprototype: entry(t("Graph prototype"), 36, 5, () => import("./widgets/graphprototype")),
  honeycomb: entry(t("Honeycomb"), 24, 5, () => import("./widgets/honeycomb")),
  hostavail: entry(t("Host availability"), 18, 4, () => import("./widgets/hostavail")),
  hostcard: entry(t("Host card"), 24, 4, () => import("./widgets/hostcard")),
  hostnavigator: entry(t("Host navigator"), 18, 6, () => import("./widgets/hostnavigator")),
  item: entry(t("Item value"), 12, 3, () => import("./widgets/item")),
  itemhistory: entry(t("Item history"), 24, 5, () => import("./widgets/itemhistory")),
  itemnavigator: entry(t("Item navigator"), 18, 6, () => import("./widgets/itemnavigator")),
  map: entry(t("Map"), 36, 5, () => import("./widgets/map")),
  piechart: entry(t("Pie chart"), 24, 4, () => import("./widgets/piechart")),
  problemhosts: entry(t("Problem hosts"), 36, 5, () => import("./widgets/problemhosts")),
  problems: entry(t("Problems"), 36, 5, () => import("./widgets/problems")),
  problemsbysv: entry(t("Problems by severity"), 36, 4, () => import("./widgets/problemsbysv")),
  slareport: entry(t("SLA report"), 36, 4, () => import("./widgets/slareport")),
  svggraph: entry(t("Graph"), 36, 5, () => import("./widgets/svggraph")),
  systeminfo: entry(t("System information"), 24, 5, () => import("./widgets/systeminfo")),
  text: entry(t("Text"), 24, 4, () => import("./widgets/text")),
  tophosts: entry(t("Top hosts"), 24, 5, () => import("./widgets/tophosts")),
  toptriggers: entry(t("Top triggers"), 24, 5, () => import("./widgets/toptriggers")),
  trigover: entry(t("Trigger overview"), 36, 5, () => import("./widgets/trigover")),
  url: entry(t("URL"), 36, 5, () => import("./widgets/url")),
  web: entry(t("Web monitoring"), 18, 3, () => import("./widgets/web")),
};

// names of earlier versions
const OLD_NAMES: Readonly<Record<string, string>> = { plaintext: "itemhistory" };

export function entryOf(type: string): WidgetEntry | undefined {
  return REGISTRY[type] ?? REGISTRY[OLD_NAMES[type] ?? ""];
}
