// What a rule discovered on the host, as a table: a row for each entity, newest values and small graphs.

import { Button } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";
import type { LatestRow } from "@/api/latest-columns";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import type { TimeRange } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Panel } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { type Entity, type EntityColumn, type EntityTable, rankOf } from "./entities";
import { ItemValue, Spark, type Sparks, useSparks } from "./item-cells";
import classes from "./overview.module.css";

// as many as fit in a row
const COLUMNS_SHOWN = 7;
const ROWS_SHOWN = 14;
const ROW_PX = 28;
const HEAD_PX = 30;
// of these numbers the course says more than the newest one: what comes in, what goes out
const DRAWN = new Set([2, 3]);
// a search is for lists that one does not see at a glance
const SEARCHED_FROM = 10;

export interface EntitiesProps {
  readonly table: EntityTable;
  readonly rows: ReadonlyMap<Id, LatestRow>;
  readonly range: TimeRange;
}

export function Entities({ table, rows, range }: EntitiesProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [text, setText] = useState("");
  const [visible, setVisible] = useState<readonly Entity[]>([]);
  const onVisible = useCallback(
    (shown: readonly Entity[]) =>
      setVisible((before) => (idsOf(before) === idsOf(shown) ? before : shown)),
    [],
  );
  const shown = showsAll ? table.columns : table.columns.slice(0, COLUMNS_SHOWN);
  const drawn = useMemo(
    () =>
      visible.flatMap(({ cells }) =>
        table.columns
          .filter(({ title }) => DRAWN.has(rankOf(title)))
          .flatMap(({ prototypeid }) => rows.get(cells.get(prototypeid) ?? "") ?? []),
      ),
    [visible, table, rows],
  );
  const sparks = useSparks(drawn, range);
  const columns = useMemo(() => columnsOf(shown, rows, sparks), [shown, rows, sparks]);
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return table.rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  }, [table, text]);
  const height = HEAD_PX + Math.max(2, Math.min(ROWS_SHOWN, table.rows.length)) * ROW_PX + 2;
  return (
    <Panel
      title={table.rule}
      label={table.rule}
      actions={
        <span className={classes["entityTools"]}>
          {table.rows.length < SEARCHED_FROM ? null : (
            <SearchBox value={text} onChange={setText} placeholder={t("Search names")} />
          )}
          <span className="dim">{plural(found.length, "1 found", "{n} found")}</span>
          {table.columns.length <= COLUMNS_SHOWN ? null : (
            <Button
              variant="default"
              size="compact-xs"
              aria-pressed={showsAll}
              onClick={() => setShowsAll(!showsAll)}
            >
              {showsAll ? t("First columns") : t("All {n} columns", { n: table.columns.length })}
            </Button>
          )}
        </span>
      }
    >
      <div className={classes["entities"]} style={{ height }}>
        <DataTable
          label={table.rule}
          rows={found}
          columns={columns}
          rowKey={(entity) => entity.id}
          onVisible={onVisible}
          keyboard={false}
        />
      </div>
    </Panel>
  );
}

function idsOf(entities: readonly Entity[]): string {
  return entities.map((it) => it.id).join("\n");
}

function columnsOf(
  columns: readonly EntityColumn[],
  rows: ReadonlyMap<Id, LatestRow>,
  sparks: Sparks,
): readonly DataColumn<Entity>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(120px, 1.4fr)",
      sortValue: (entity) => entity.name,
      cell: (entity) => (
        <span className="ellipsis" title={entity.name}>
          {entity.name}
        </span>
      ),
    },
    ...columns.map(({ prototypeid, title }, at): DataColumn<Entity> => {
      const isDrawn = DRAWN.has(rankOf(title));
      const rowOf = ({ cells }: Entity) => rows.get(cells.get(prototypeid) ?? "");
      return {
        id: prototypeid,
        title,
        width: isDrawn ? "minmax(166px, 1.2fr)" : "minmax(92px, 1fr)",
        align: "right",
        wideOnly: at > 1,
        sortValue: (entity) => sortValue(rowOf(entity)),
        cell: (entity) => {
          const row = rowOf(entity);
          if (row === undefined) return <span className="dim">–</span>;
          return (
            <span className={classes["entityCell"]}>
              {isDrawn ? <Spark itemid={row.itemid} sparks={sparks} width={52} /> : null}
              <ItemValue row={row} />
            </span>
          );
        },
      };
    }),
  ];
}

function sortValue(row: LatestRow | undefined): string | number {
  if (row === undefined) return "";
  return isNumeric(row.valueType) ? Number(row.live.value) : row.live.value;
}
