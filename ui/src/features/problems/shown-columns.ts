// Which columns of the list are shown: kept in this browser.

import { useState } from "react";
import { t } from "@/lib/i18n";
import { readStored, writeStored } from "@/lib/local-storage";

const KEY = "saker.problems.hidden-columns";

/** Columns that can be hidden, by their ids; the others are what a list is for. */
export const HIDEABLE = {
  time: t("Time"),
  severity: t("Severity"),
  status: t("Status"),
  host: t("Host"),
  duration: t("Duration"),
  ack: t("Ack"),
  tags: t("Tags"),
} as const;

export type HideableColumn = keyof typeof HIDEABLE;

export function readHidden(value: unknown): readonly HideableColumn[] {
  if (!Array.isArray(value)) return [];
  return (Object.keys(HIDEABLE) as HideableColumn[]).filter((it) => value.includes(it));
}

export function useHiddenColumns() {
  const [hidden, setHidden] = useState(() => readStored(KEY, readHidden));
  const toggle = (id: HideableColumn) => {
    const next = hidden.includes(id) ? hidden.filter((it) => it !== id) : [...hidden, id];
    setHidden(next);
    writeStored(KEY, next);
  };
  return [hidden, toggle] as const;
}
