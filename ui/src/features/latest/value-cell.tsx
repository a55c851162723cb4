import { Tooltip } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { type LatestRow, valueChange } from "@/api/latest-columns";
import { useLiveValue } from "@/api/latest-store";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { NoteSign } from "@/ui/note-sign";
import { Age } from "@/ui/times";
import { valueText } from "@/widgets/value-text";
import classes from "./latest.module.css";

/** The value, shortly lit when a new one comes. */
export function ValueCell({ row }: { readonly row: LatestRow }) {
  const live = useLiveValue(row);
  const text = valueText(row, live);
  const cell = useRef<HTMLSpanElement>(null);
  const last = useRef(live.clock);
  useEffect(() => {
    if (live.clock === last.current) return;
    last.current = live.clock;
    const flash = [{ backgroundColor: "var(--flash)" }, { backgroundColor: "transparent" }];
    cell.current?.animate?.(flash, { duration: 1200, easing: "ease-out" });
  }, [live.clock]);
  if (text === "") return <span className="dim">{t("no value yet")}</span>;
  return (
    <span ref={cell} className={`${classes["value"]} ellipsis`} title={text}>
      {text}
    </span>
  );
}

export function ChangeCell({ row }: { readonly row: LatestRow }) {
  const live = useLiveValue(row);
  const change = valueChange(live, row.valueType);
  if (change === undefined) return null;
  const units = row.units === "unixtime" ? "s" : row.units;
  return (
    <span className="dim">
      {change > 0 ? "+" : ""}
      {formatValue(change, units)}
    </span>
  );
}

export function CheckedCell({ row }: { readonly row: LatestRow }) {
  const live = useLiveValue(row);
  if (live.clock === 0) return <span className="dim">–</span>;
  return (
    <span title={formatDateTime(live.clock)}>
      <Age since={live.clock} />
    </span>
  );
}

/** Why the item has no value now, or what was wrong with one of its values. */
export function StateCell({ row }: { readonly row: LatestRow }) {
  const live = useLiveValue(row);
  if (live.state === 0) return live.error === "" ? null : <NoteSign text={live.error} />;
  return (
    <Tooltip label={live.error === "" ? t("Not supported") : live.error} maw={420}>
      <span className={classes["unsupported"]}>
        <IconAlertTriangle size={14} aria-hidden />
        {t("Not supported")}
      </span>
    </Tooltip>
  );
}
