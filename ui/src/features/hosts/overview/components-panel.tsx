// Items by component: their newest values next to small graphs, fetched when they are scrolled into view.

import type { LatestRow } from "@/api/latest-columns";
import { plural } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { Panel } from "@/ui/page";
import { Lazy } from "@/widgets/graph/lazy";
import type { Component } from "./components";
import { ItemValue, Spark, useSparks } from "./item-cells";
import classes from "./overview.module.css";

const LINE_PX = 26;
const HEAD_PX = 40;
const COLUMNS_MAX = 2;

export interface ComponentsProps {
  readonly components: readonly Component[];
  readonly range: TimeRange;
}

export function Components({ components, range }: ComponentsProps) {
  return components.map((component) => (
    <Lazy
      key={component.name}
      minHeight={HEAD_PX + Math.ceil(component.rows.length / COLUMNS_MAX) * LINE_PX}
    >
      {() => <ComponentPanel component={component} range={range} />}
    </Lazy>
  ));
}

interface ComponentPanelProps {
  readonly component: Component;
  readonly range: TimeRange;
}

function ComponentPanel({ component: { name, rows }, range }: ComponentPanelProps) {
  const sparks = useSparks(rows, range);
  return (
    <Panel
      title={name}
      label={name}
      actions={<span className="dim">{plural(rows.length, "1 item", "{n} items")}</span>}
    >
      <ul className={classes["items"]}>
        {rows.map((row) => (
          <ItemLine key={row.itemid} row={row} sparks={sparks} />
        ))}
      </ul>
    </Panel>
  );
}

interface ItemLineProps {
  readonly row: LatestRow;
  readonly sparks: ReturnType<typeof useSparks>;
}

function ItemLine({ row, sparks }: ItemLineProps) {
  return (
    <li className={classes["item"]}>
      <span className="ellipsis" title={`${row.name}\n${row.key}`}>
        {row.name}
      </span>
      <Spark itemid={row.itemid} sparks={sparks} />
      <ItemValue row={row} />
    </li>
  );
}
