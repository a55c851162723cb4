// How an agreement was kept: services by periods.

import { Link } from "@tanstack/react-router";
import { fetchReport, SLAS } from "@/api/services";
import { fetchOffers } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { formatNumber } from "@/lib/units";
import { EmptyState, QueryGate } from "@/ui/states";
import { useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import classes from "../widgets.module.css";

const PERIODS_USUAL = 20;
const PLACES = 4;

function SlaReport({ fields }: WidgetProps) {
  const [slaid = ""] = fields.ids("slaid");
  const [serviceid] = fields.ids("serviceid");
  const periods = fields.number("show_periods", PERIODS_USUAL);
  const query = useWidgetQuery("slareport", [slaid, periods], async (signal) => {
    if (slaid === "") return null;
    const [sla, report] = await Promise.all([
      SLAS.one(slaid, signal),
      fetchReport(slaid, periods, signal),
    ]);
    const ids = report.serviceids;
    const names =
      ids.length === 0 ? [] : await fetchOffers("service", { ids, limit: ids.length }, signal);
    return { sla, report, names: new Map(names.map((it) => [it.id, it.name])) };
  });
  return (
    <QueryGate query={query}>
      {(found) => {
        if (found?.sla === undefined) return <EmptyState title={t("No SLA is chosen.")} />;
        const { sla, report, names } = found;
        const slo = Number(sla.slo);
        const shown = report.serviceids
          .map((id, at) => ({ id, at }))
          .filter(({ id }) => serviceid === undefined || id === serviceid);
        // newest first
        const order = report.periods.map((period, at) => ({ period, at })).reverse();
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Service")}</th>
                  <th scope="col">{t("SLO")}</th>
                  {order.map(({ period }) => (
                    <th key={period.period_from} scope="col">
                      {formatDateTime(period.period_from).slice(0, 10)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map(({ id, at: service }) => (
                  <tr key={id}>
                    <th scope="row">
                      <Link to="/sla/$slaid/report" params={{ slaid }}>
                        {names.get(id) ?? `#${id}`}
                      </Link>
                    </th>
                    <td>{formatNumber(slo, PLACES)}</td>
                    {order.map(({ period, at }) => {
                      const sli = report.sli[at]?.[service]?.sli ?? -1;
                      return (
                        <td
                          key={period.period_from}
                          className={sli < 0 ? "dim" : sli < slo ? "bad" : "ok"}
                        >
                          {sli < 0 ? t("N/A") : formatNumber(sli, PLACES)}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </QueryGate>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { kind: "sla", name: "slaid", label: t("SLA") },
  { kind: "service", name: "serviceid", label: t("Service (empty: all)") },
  {
    kind: "number",
    name: "show_periods",
    label: t("Show periods"),
    usual: PERIODS_USUAL,
    min: 1,
    max: 100,
  },
];

export const KIND: WidgetKind = { Widget: SlaReport, fields: FIELDS, refresh: 0 };
