// A record of the audit log opened: every field with its value before and after, long ones line by line.

import type { AuditRecord } from "@/api/audit";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { asDialog, Dialog } from "@/ui/dialog";
import classes from "./audit.module.css";
import { changesOf, type FieldChange } from "./details";
import { useHistoryOf } from "./history";
import { LineDiff } from "./line-diff";
import { auditActionName, auditResourceName } from "./names";

export interface AuditDialogProps {
  readonly record: AuditRecord;
  readonly onClose: () => void;
}

/** What a field was before stands in an earlier record of the object. */
function useChanges({ auditid, resourcetype, resourceid, all_details }: AuditRecord) {
  const { data } = useHistoryOf(resourcetype, resourceid);
  return data?.find((it) => it.auditid === auditid)?.changes ?? changesOf(all_details);
}

export const AuditDialog = asDialog(AuditDialogBody);

function AuditDialogBody({ record, onClose }: AuditDialogProps) {
  const changes = useChanges(record);
  return (
    <Dialog
      opened
      onClose={onClose}
      size="xl"
      title={`${auditActionName(record.action)} · ${auditResourceName(record.resourcetype)} · ${record.resourcename}`}
    >
      <p className="dim">
        {t("{user} at {time}", {
          user: record.username,
          time: formatDateTime(Number(record.clock)),
        })}
        {record.ip === "" ? null : ` · ${record.ip}`}
      </p>
      <Changes changes={changes} />
    </Dialog>
  );
}

/** What a record says of each field. */
export function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p>{t("No further details were recorded.")}</p>;
  return (
    <table className={classes["changes"]}>
      <thead>
        <tr>
          <th>{t("Field")}</th>
          <th>{t("Before")}</th>
          <th>{t("After")}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((it) => (
          <ChangeRow key={it.field} change={it} />
        ))}
      </tbody>
    </table>
  );
}

/** What is said where a record has no value. */
function doneName(done: string): string {
  switch (done) {
    case "add":
      return t("empty");
    case "update":
      return t("changed");
    default:
      return done;
  }
}

function ChangeRow({ change: { field, done, after, before } }: { readonly change: FieldChange }) {
  const isLong = before.includes("\n") || after.includes("\n");
  return (
    <tr>
      <td className="mono">{field}</td>
      {isLong ? (
        <td colSpan={2}>
          <LineDiff before={before} after={after} />
        </td>
      ) : (
        <>
          <td>{before === "" ? null : <del>{before}</del>}</td>
          <td>
            {after === "" ? null : <ins>{after}</ins>}
            {after === "" && before === "" ? <span className="dim">{doneName(done)}</span> : null}
          </td>
        </>
      )}
    </tr>
  );
}
