// Who changed this object, when and how: a button on its page, for those who may read the audit log.

import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useRouteContext } from "@tanstack/react-router";
import { useState } from "react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { SUPER_ADMIN } from "@/lib/user-type";
import { asDialog, Dialog } from "@/ui/dialog";
import { EmptyState, QueryGate } from "@/ui/states";
import classes from "./audit.module.css";
import { Changes } from "./audit-dialog";
import { summary } from "./details";
import { useHistoryOf } from "./history";
import { auditActionName } from "./names";

/** Kinds of objects as the audit log numbers them. */
export const AUDITED = {
  user: "0",
  mediaType: "3",
  host: "4",
  action: "5",
  userGroup: "11",
  trigger: "13",
  hostGroup: "14",
  item: "15",
  service: "18",
  script: "25",
  maintenance: "27",
  regexp: "28",
  iconMap: "32",
  template: "30",
  triggerPrototype: "31",
  itemPrototype: "36",
  role: "44",
  templateGroup: "50",
  connector: "51",
  rule: "52",
} as const;

export interface ChangeHistoryProps {
  readonly kind: keyof typeof AUDITED;
  readonly id: Id;
}

export function ChangeHistory({ kind, id }: ChangeHistoryProps) {
  const { user } = useRouteContext({ from: "/shell" });
  const [opened, setOpened] = useState(false);
  if (user.type !== SUPER_ADMIN || id === "new") return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHistory size={14} />}
        onClick={() => setOpened(true)}
      >
        {t("Changes")}
      </Button>
      {opened ? <HistoryDialog kind={kind} id={id} onClose={() => setOpened(false)} /> : null}
    </>
  );
}

interface HistoryDialogProps extends ChangeHistoryProps {
  readonly onClose: () => void;
}

const HistoryDialog = asDialog(HistoryDialogBody);

function HistoryDialogBody({ kind, id, onClose }: HistoryDialogProps) {
  const query = useHistoryOf(AUDITED[kind], id);
  return (
    <Dialog opened onClose={onClose} size="xl" title={t("Change history")}>
      <QueryGate query={query}>
        {(records) =>
          records.length === 0 ? (
            <EmptyState title={t("The audit log has no records of it.")} />
          ) : (
            <ul className={classes["history"]} aria-label={t("Changes")}>
              {records.map((it, at) => (
                <li key={it.auditid}>
                  <details open={at === 0}>
                    <summary>
                      <time>{formatDateTime(Number(it.clock))}</time>
                      <strong>{it.username}</strong>
                      <span>{auditActionName(it.action)}</span>
                      <span className="ellipsis dim">{summary(it.changes)}</span>
                    </summary>
                    <Changes changes={it.changes} />
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </QueryGate>
    </Dialog>
  );
}
