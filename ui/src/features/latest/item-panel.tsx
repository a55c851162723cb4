import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LatestRow } from "@/api/latest-columns";
import { useLiveValue } from "@/api/latest-store";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { formatDateTime, type TimeRange } from "@/lib/time";
import { SidePanel } from "@/ui/side-panel";
import { EmptyState, QueryGate } from "@/ui/states";
import { TagList } from "@/ui/tags";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { MayExecute } from "@/widgets/editable";
import { ItemChart } from "@/widgets/item-chart";
import { StateNote } from "@/widgets/state-note";
import { valueText } from "@/widgets/value-text";
import { historySearch } from "./history";
import classes from "./latest.module.css";
import { useExecuteNow, useTextHistory } from "./queries";

export interface ItemPanelProps {
  readonly row: LatestRow;
  readonly onClose: () => void;
}

export function ItemPanel({ row, onClose }: ItemPanelProps) {
  const live = useLiveValue(row);
  const execute = useExecuteNow();
  const [range, setRange] = useState<TimeRange>({ from: "now-1h", to: "now" });
  return (
    <SidePanel title={row.name} onClose={onClose}>
      <div className={classes["panel"]}>
        <div className={classes["panelHead"]}>
          <strong className={classes["panelValue"]}>{valueText(row, live) || "–"}</strong>
          <MayExecute hostids={[row.hostid]}>
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconRefresh size={14} />}
              loading={execute.isPending}
              onClick={() => execute.mutate([row.itemid])}
            >
              {t("Execute now")}
            </Button>
          </MayExecute>
        </div>
        <StateNote state={String(live.state)} error={live.error} />
        <dl className={classes["facts"]}>
          <dt>{t("Host")}</dt>
          <dd>
            <Link to="/hosts/$hostid" params={{ hostid: row.hostid }}>
              {row.host}
            </Link>
          </dd>
          <dt>{t("Key")}</dt>
          <dd>
            <code>{row.key}</code>
          </dd>
          <dt>{t("Interval")}</dt>
          <dd>{row.interval === "" || row.interval === "0" ? "–" : row.interval}</dd>
          <dt>{t("Last value")}</dt>
          <dd>{live.clock === 0 ? t("never") : formatDateTime(live.clock)}</dd>
          <dt>{t("Values")}</dt>
          <dd>
            <Link to="/latest/history" search={historySearch([row.itemid])}>
              {t("All values")}
            </Link>
          </dd>
          <dt>{t("Tags")}</dt>
          <dd>{row.tags.length === 0 ? "–" : <TagList tags={row.tags} max={20} wrap />}</dd>
        </dl>
        {isNumeric(row.valueType) ? (
          <>
            <TimeRangePicker range={range} onChange={setRange} />
            <ItemChart
              title={row.name}
              items={[{ itemid: row.itemid, name: row.name }]}
              units={row.units}
              range={range}
              onRange={setRange}
              height={220}
            />
          </>
        ) : (
          <TextValues row={row} />
        )}
      </div>
    </SidePanel>
  );
}

function TextValues({ row }: { readonly row: LatestRow }) {
  const query = useTextHistory(row.itemid, row.valueType);
  return (
    <QueryGate query={query}>
      {(values) =>
        values.length === 0 ? (
          <EmptyState title={t("No values yet")} />
        ) : (
          <ul className={classes["texts"]} aria-label={t("Values")}>
            {values.map((value) => (
              <li key={`${value.clock}.${value.ns}`}>
                <time className="dim">{formatDateTime(Number(value.clock))}</time>
                <pre>{value.value}</pre>
              </li>
            ))}
          </ul>
        )
      }
    </QueryGate>
  );
}
