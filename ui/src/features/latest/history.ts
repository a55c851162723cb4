// Values of items as a table: which items, what is searched, what a row and its line of CSV say.

import type { StoredValue } from "@/api/history";
import type { ValuedItem } from "@/api/types";
import { csvLine } from "@/lib/csv";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { formatDateTime } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { ids } from "./search";

export interface HistorySearch {
  readonly items?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

// more than are read in one table
const ITEMS_MAX = 200;

export function historyItems(search: HistorySearch): readonly string[] {
  return [...new Set(ids(search.items))].slice(0, ITEMS_MAX);
}

export function historySearch(itemids: Iterable<string>): HistorySearch {
  return { items: [...itemids].slice(0, ITEMS_MAX).join(",") };
}

export const LOG = 4;

export interface ValueRow extends StoredValue {
  readonly key: string;
  readonly host: string;
  readonly name: string;
  /** with units, as people read it */
  readonly text: string;
}

/** Rows of the values; of numbers only those with the text in what is shown of them. */
export function valueRows(
  values: readonly StoredValue[],
  items: readonly ValuedItem[],
  part: string,
): readonly ValueRow[] {
  const byId = new Map(items.map((it) => [it.itemid, it]));
  const wanted = part.trim().toLowerCase();
  return values.flatMap((value, at): ValueRow[] => {
    const item = byId.get(value.itemid);
    if (item === undefined) return [];
    const isNumber = isNumeric(item.valueType);
    const text = isNumber ? formatValue(value.value, item.units) : value.value;
    if (isNumber && wanted !== "" && !`${text} ${value.value}`.toLowerCase().includes(wanted)) {
      return [];
    }
    // one item may have several values of one instant
    const key = `${value.itemid}.${value.clock}.${value.ns}.${at}`;
    return [{ ...value, key, host: item.host, name: item.name, text }];
  });
}

const MS_PER_NS = 1e-6;

/** With milliseconds where there are any. */
export function instantText({ clock, ns }: Pick<StoredValue, "clock" | "ns">): string {
  const ms = Math.floor(ns * MS_PER_NS);
  return ms === 0
    ? formatDateTime(clock)
    : `${formatDateTime(clock)}.${String(ms).padStart(3, "0")}`;
}

/** Values as they are stored, without units. */
export function historyCsv(rows: readonly ValueRow[], isLog: boolean): string[] {
  const log = isLog ? [t("Log time"), t("Severity"), t("Source"), t("Event ID")] : [];
  const lines = rows.map((row) =>
    csvLine([
      instantText(row),
      row.host,
      row.name,
      row.value,
      ...(isLog
        ? [
            row.timestamp === 0 ? "" : formatDateTime(row.timestamp),
            logSeverity(row.severity),
            row.source,
            row.logeventid === "0" ? "" : row.logeventid,
          ]
        : []),
    ]),
  );
  return [csvLine([t("Time"), t("Host"), t("Item"), t("Value"), ...log]), ...lines];
}

/** Names of the severities of Windows event logs. */
export function logSeverity(code: string): string {
  switch (code) {
    case "1":
      return t("Information");
    case "2":
      return t("Warning");
    case "4":
      return t("Error");
    case "7":
      return t("Failure audit");
    case "8":
      return t("Success audit");
    case "9":
      return t("Critical");
    case "10":
      return t("Verbose");
    default:
      return "";
  }
}
