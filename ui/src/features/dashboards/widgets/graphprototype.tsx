// The graphs that discovery made of a prototype, as many as the widget has columns and rows; the others a page on.

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { fetchPrototypeGraphs, fetchPrototypeItems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { ClassicChart, SimpleChart, useChartSize } from "../classic-chart";
import { useHostOf, useTitle } from "../context";
import { useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { OVERRIDE, TIME } from "../specs";
import classes from "../widgets.module.css";

const GRAPHS = 2;
const ITEMS = 3;
const COLUMNS_USUAL = 2;
const ROWS_USUAL = 1;
const GAP_PX = 6;
const TITLE_PX = 18;
const PAGER_PX = 28;

const NOTHING = { title: null, items: [], graphs: [] };

function PrototypeWidget({ fields }: WidgetProps) {
  const isItems = fields.number("source_type", GRAPHS) === ITEMS;
  const id = fields.ids(isItems ? "itemid" : "graphid")[0] ?? "";
  const hostid = useHostOf(fields);
  const query = useWidgetQuery("prototype", [isItems, id, hostid], async (signal) => {
    if (id === "") return NOTHING;
    const items = isItems ? await fetchPrototypeItems(id, hostid, signal) : null;
    const graphs = isItems ? null : await fetchPrototypeGraphs(id, hostid, signal);
    return { title: items ?? graphs, items: items?.made ?? [], graphs: graphs?.made ?? [] };
  });
  useTitle(query.data?.title);
  const size = useChartSize();
  const [page, setPage] = useState(0);
  const columns = Math.max(1, fields.number("columns", COLUMNS_USUAL));
  const rows = Math.max(1, fields.number("rows", ROWS_USUAL));
  return (
    <QueryGate query={query}>
      {({ graphs, items }) => {
        const all = graphs.length + items.length;
        if (all === 0) return <EmptyState title={t("No graphs discovered yet.")} />;
        const perPage = columns * rows;
        const pages = Math.ceil(all / perPage);
        const at = Math.min(page, pages - 1);
        const height = size.height - (pages > 1 ? PAGER_PX : 0);
        const cell = {
          width: Math.max(60, Math.floor((size.width - GAP_PX * (columns - 1)) / columns)),
          height: Math.max(60, Math.floor((height - GAP_PX * (rows - 1)) / rows) - TITLE_PX),
        };
        const part = <T,>(list: readonly T[]) => list.slice(at * perPage, (at + 1) * perPage);
        return (
          <div className={classes["prototypes"]}>
            <div
              className={classes["prototypeGrid"]}
              style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, gap: GAP_PX }}
            >
              {part(graphs).map((it) => (
                <figure key={it.graphid}>
                  <figcaption className="ellipsis" title={it.name}>
                    {it.name}
                  </figcaption>
                  <ClassicChart graph={it} fields={fields} {...cell} />
                </figure>
              ))}
              {part(items).map((it) => (
                <figure key={it.itemid}>
                  <figcaption className="ellipsis" title={it.name}>
                    {it.name}
                  </figcaption>
                  <SimpleChart item={it} fields={fields} {...cell} />
                </figure>
              ))}
            </div>
            {pages > 1 ? (
              <nav className={classes["pager"]} aria-label={t("Pages of graphs")}>
                <ActionIcon
                  variant="default"
                  aria-label={t("Previous page of graphs")}
                  disabled={at === 0}
                  onClick={() => setPage(at - 1)}
                >
                  <IconChevronLeft size={15} />
                </ActionIcon>
                {t("{n} of {all}", { n: at + 1, all: pages })}
                <ActionIcon
                  variant="default"
                  aria-label={t("Next page of graphs")}
                  disabled={at === pages - 1}
                  onClick={() => setPage(at + 1)}
                >
                  <IconChevronRight size={15} />
                </ActionIcon>
              </nav>
            ) : null}
          </div>
        );
      }}
    </QueryGate>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "source_type",
    label: t("Source"),
    usual: GRAPHS,
    options: [
      [GRAPHS, t("Graph prototype")],
      [ITEMS, t("Simple graph prototype")],
    ],
  },
  { kind: "graphPrototype", name: "graphid", label: t("Graph prototype") },
  { kind: "itemPrototype", name: "itemid", label: t("Item prototype") },
  ...TIME,
  { kind: "flag", name: "show_legend", label: t("Show legend"), usual: true },
  { kind: "number", name: "columns", label: t("Columns"), usual: COLUMNS_USUAL, min: 1, max: 72 },
  { kind: "number", name: "rows", label: t("Rows"), usual: ROWS_USUAL, min: 1, max: 64 },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: PrototypeWidget, fields: FIELDS, refresh: 60 };
