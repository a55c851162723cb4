// Newest values of items, hosts on one side and items on the other.

import { Link } from "@tanstack/react-router";
import { type BoardItem, searchBoardItems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { useIds } from "../context";
import { useWidgetQuery } from "../data";
import { tagsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { DIRECTION, GROUPS, HOSTS, SUPPRESSED, TAGS } from "../specs";
import { itemText } from "../value";
import classes from "../widgets.module.css";

// what fits into a table that people read
const ITEMS_MAX = 1000;
const COLUMNS_MAX = 50;
const TOP = 1;

function DataOverview({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const tags = tagsOf(fields, "tags");
  const evaltype = fields.number("evaltype", 0);
  const query = useWidgetQuery("dataover", [hostids, groupids, tags, evaltype], (signal) =>
    searchBoardItems({ hostids, groupids, tags, evaltype, limit: ITEMS_MAX }, signal),
  );
  const isTop = fields.number("style", 0) === TOP;
  return (
    <QueryGate query={query}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState title={t("No data")} />
        ) : (
          <Table items={items} isTop={isTop} />
        )
      }
    </QueryGate>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function Table({
  items,
  isTop,
}: {
  readonly items: readonly BoardItem[];
  readonly isTop: boolean;
}) {
  const hosts = [
    ...new Map(items.map((it) => [it.hostid, { id: it.hostid, name: it.host }])).values(),
  ];
  const names = [...new Set(items.map((it) => it.name))].map((name): Named => ({ id: name, name }));
  const cells = new Map(items.map((it) => [`${it.hostid}\n${it.name}`, it]));
  const rows: readonly Named[] = isTop ? names : hosts;
  const columns = (isTop ? hosts : names).slice(0, COLUMNS_MAX);
  const cell = (row: Named, column: Named) =>
    cells.get(isTop ? `${column.id}\n${row.id}` : `${row.id}\n${column.id}`);
  const host = ({ id, name }: Named) => (
    <Link to="/hosts/$hostid" params={{ hostid: id }}>
      {name}
    </Link>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{isTop ? t("Item") : t("Host")}</th>
            {columns.map((it) => (
              <th key={it.id} scope="col">
                {isTop ? host(it) : it.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{isTop ? row.name : host(row)}</th>
              {columns.map((column) => {
                const item = cell(row, column);
                return <td key={column.id}>{item === undefined ? "" : itemText(item)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  TAGS,
  SUPPRESSED,
  {
    kind: "choice",
    name: "style",
    label: t("Hosts location"),
    usual: 0,
    options: DIRECTION(t("Left"), t("Top")),
  },
];

export const KIND: WidgetKind = { Widget: DataOverview, fields: FIELDS, refresh: 60 };
