// Columns that items, triggers and rules share: where a row comes from, and whether it works.

import { Tooltip } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { NoteSign } from "@/ui/note-sign";

export function originOf(it: { readonly templateid: Id; readonly flags: string }): string {
  if (it.flags === "4") return t("discovered");
  return it.templateid === "0" || it.templateid === "" ? t("own") : t("template");
}

export interface RowStateProps {
  readonly row: { readonly status: string; readonly state: string; readonly error: string };
  /** what a row is called that cannot do its work */
  readonly failed: string;
}

export function RowState({ row, failed }: RowStateProps) {
  if (row.status === "1") return <span className="bad">{t("Disabled")}</span>;
  if (row.state === "1") {
    return (
      <Tooltip label={row.error === "" ? failed : row.error} maw={420}>
        <span className="bad">
          <IconAlertTriangle size={13} aria-hidden /> {failed}
        </span>
      </Tooltip>
    );
  }
  const enabled = <span className="ok">{t("Enabled")}</span>;
  if (row.error === "") return enabled;
  return (
    <>
      {enabled} <NoteSign text={row.error} />
    </>
  );
}
