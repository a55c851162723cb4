// A graph of a host, or one item drawn as it is.

import { fetchBoardGraph } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { ClassicChart, SimpleChart, useChartSize } from "../classic-chart";
import { useHostOf, useIds, useTitle, useWaits } from "../context";
import { useItems, useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { OVERRIDE, TIME } from "../specs";

const GRAPH = 0;
const SIMPLE = 1;

function ClassicWidget(props: WidgetProps) {
  return props.fields.number("source_type", GRAPH) === SIMPLE ? (
    <ItemGraph {...props} />
  ) : (
    <KeptGraph {...props} />
  );
}

function KeptGraph({ fields }: WidgetProps) {
  const [graphid = ""] = useIds(fields, "graphid");
  const hostid = useHostOf(fields);
  const size = useChartSize();
  const query = useWidgetQuery("graph", [graphid, hostid], async (signal) =>
    graphid === "" ? null : ((await fetchBoardGraph(graphid, hostid, signal)) ?? null),
  );
  useTitle(query.data);
  return (
    <QueryGate query={query}>
      {(graph) =>
        graph === null ? (
          <EmptyState title={t("There is no such graph here.")} />
        ) : (
          <ClassicChart graph={graph} fields={fields} {...size} />
        )
      }
    </QueryGate>
  );
}

function ItemGraph({ fields }: WidgetProps) {
  const itemids = useIds(fields, "itemid");
  const hostid = useHostOf(fields);
  const waits = useWaits(fields, "itemid");
  const size = useChartSize();
  const query = useItems(itemids, hostid);
  useTitle(query.data?.[0]);
  if (waits) return <EmptyState title={t("Select an item in the linked widget.")} />;
  return (
    <QueryGate query={query}>
      {([item]) =>
        item === undefined ? (
          <EmptyState title={t("There is no such item here.")} />
        ) : (
          <SimpleChart item={item} fields={fields} {...size} />
        )
      }
    </QueryGate>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "source_type",
    label: t("Source"),
    usual: GRAPH,
    options: [
      [GRAPH, t("Graph")],
      [SIMPLE, t("Simple graph")],
    ],
  },
  { kind: "graph", name: "graphid", label: t("Graph") },
  { kind: "item", name: "itemid", label: t("Item (simple graph)") },
  { kind: "source", name: "itemid", label: t("Item from widget"), signal: "itemid" },
  ...TIME,
  { kind: "flag", name: "show_legend", label: t("Show legend"), usual: true },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: ClassicWidget, fields: FIELDS, refresh: 60 };
