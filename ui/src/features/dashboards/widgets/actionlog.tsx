// Messages that actions sent.

import { ALERT } from "@/api/generated/alert";
import { fetchSentAlerts } from "@/api/widget-events";
import { t } from "@/lib/i18n";
import { resolveRange } from "@/lib/time";
import { EmptyState, QueryGate } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import { Instant } from "@/ui/times";
import { useRange } from "../context";
import { moment, useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { LINES, TIME } from "../specs";
import classes from "../widgets.module.css";

const LINES_USUAL = 25;
const { NOT_SENT: IN_PROGRESS, SENT, FAILED, NEW } = ALERT.fields.status.names;

function ActionLog({ fields }: WidgetProps) {
  const range = useRange(fields);
  const statuses = fields.list("statuses").flatMap((it) => (it === IN_PROGRESS ? [it, NEW] : [it]));
  const filter = {
    userids: fields.ids("userids"),
    actionids: fields.ids("actionids"),
    mediatypeids: fields.ids("mediatypeids"),
    statuses,
    message: fields.text("message"),
    limit: fields.number("show_lines", LINES_USUAL),
  };
  const query = useWidgetQuery("actionlog", [filter, range], (signal) => {
    const { from, to } = resolveRange(range, moment());
    return fetchSentAlerts({ ...filter, from, to }, signal);
  });
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No messages were sent in this period")} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Time")}</th>
                  <th scope="col">{t("Status")}</th>
                  <th scope="col">{t("Recipient")}</th>
                  <th scope="col">{t("Message")}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((it) => (
                  <tr key={it.alertid}>
                    <td className={classes["nowrap"]}>
                      <Instant seconds={it.clock} />
                    </td>
                    <td className={classes["nowrap"]} title={it.error}>
                      <Status status={it.status} />
                    </td>
                    <td>
                      {it.user} {it.to === "" ? null : <span className="dim">{it.to}</span>}
                      {it.media === "" ? null : <span className="dim"> ({it.media})</span>}
                    </td>
                    <td title={it.message}>
                      {it.subject === "" ? it.message.slice(0, 200) : it.subject}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </QueryGate>
  );
}

function Status({ status }: { readonly status: string }) {
  if (status === SENT) {
    return (
      <>
        <StatusDot tone="ok" label={t("Sent")} /> {t("Sent")}
      </>
    );
  }
  if (status === FAILED) {
    return (
      <>
        <StatusDot tone="bad" label={t("Failed")} /> {t("Failed")}
      </>
    );
  }
  return (
    <>
      <StatusDot tone="unsure" label={t("In progress")} /> {t("In progress")}
    </>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { kind: "users", name: "userids", label: t("Recipients") },
  {
    kind: "checks",
    name: "statuses",
    label: t("Status"),
    usual: [],
    options: [
      [Number(IN_PROGRESS), t("In progress")],
      [Number(SENT), t("Sent")],
      [Number(FAILED), t("Failed")],
    ],
  },
  { kind: "text", name: "message", label: t("Search string") },
  LINES(LINES_USUAL),
  ...TIME,
];

export const KIND: WidgetKind = { Widget: ActionLog, fields: FIELDS, refresh: 60 };
