// How available the services of an agreement were: one line a service and period, with a bar against the
// objective.

import { Select } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Indicator, Sla, SlaReport } from "@/api/services";
import { plural, t } from "@/lib/i18n";
import { formatAge } from "@/lib/time";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { timesIn } from "@/ui/zone-name";
import { zoneOf } from "./draft";
import { useReport, useServiceNames, useSla } from "./queries";
import { cellOf, periodName } from "./report";
import classes from "./sla.module.css";

export interface SlaReportPageProps {
  readonly slaid: string;
  readonly serverZone: string;
}

const COUNTS = ["5", "10", "20", "50", "100"] as const;

export function SlaReportPage({ slaid, serverZone }: SlaReportPageProps) {
  const [periods, setPeriods] = useState("10");
  const sla = useSla(slaid);
  const report = useReport(slaid, Number(periods));
  return (
    <Page
      title={sla.data === undefined || sla.data === null ? t("SLA report") : sla.data.name}
      note={
        sla.data === undefined || sla.data === null
          ? t("SLA report")
          : t("SLA report, objective {slo} %", { slo: sla.data.slo })
      }
      actions={
        <Link to="/sla/$slaid" params={{ slaid }}>
          {t("Edit")}
        </Link>
      }
      filters={
        <Select
          aria-label={t("Periods")}
          data={COUNTS.map((n) => ({
            value: n,
            label: plural(Number(n), "1 period", "{n} periods"),
          }))}
          value={periods}
          onChange={(n) => setPeriods(n ?? "10")}
        />
      }
      scroll
    >
      <QueryGate query={sla}>
        {(found) =>
          found === null ? (
            <EmptyState title={t("There is no such SLA.")} />
          ) : (
            <QueryGate query={report}>
              {(data) => (
                <Report sla={found} zone={zoneOf({ ...found, serverZone })} report={data} />
              )}
            </QueryGate>
          )
        }
      </QueryGate>
    </Page>
  );
}

interface ReportProps {
  readonly sla: Sla;
  /** which its periods begin and end in */
  readonly zone: string;
  readonly report: SlaReport;
}

function Report({ sla, zone, report }: ReportProps) {
  const services = useServiceNames();
  const names = useMemo(
    () => new Map((services.data ?? []).map(({ serviceid, name }) => [serviceid, name])),
    [services.data],
  );
  if (report.serviceids.length === 0) {
    return <EmptyState title={t("No service has the tags of this SLA.")} />;
  }
  const newest = report.periods.map((period, at) => ({ period, at })).reverse();
  return (
    <div className={classes["report"]}>
      <p className="dim">{timesIn(zone)}</p>
      {report.serviceids.map((serviceid, column) => (
        <section key={serviceid} className={classes["service"]}>
          <h2>
            <Link to="/services/$serviceid" params={{ serviceid }}>
              {names.get(serviceid) ?? serviceid}
            </Link>
          </h2>
          <table className={classes["table"]}>
            <thead>
              <tr>
                <th>{t("Period")}</th>
                <th>{t("SLI")}</th>
                <th className="num">{t("Uptime")}</th>
                <th className="num">{t("Downtime")}</th>
                <th className="num">{t("Error budget")}</th>
              </tr>
            </thead>
            <tbody>
              {newest.map(({ period: { period_from, period_to }, at }) => (
                <Line
                  key={period_from}
                  name={periodName(period_from, period_to, sla.period, zone)}
                  indicator={report.sli[at]?.[column]}
                  slo={Number(sla.slo)}
                />
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </div>
  );
}

interface LineProps {
  readonly name: string;
  readonly indicator: Indicator | undefined;
  readonly slo: number;
}

function Line({ name, indicator, slo }: LineProps) {
  if (indicator === undefined) return null;
  const { text, share, isKept } = cellOf(indicator, slo);
  const { uptime, downtime, error_budget } = indicator;
  const known = share !== undefined;
  return (
    <tr>
      <td>{name}</td>
      <td>
        <span className={classes["sli"]}>
          {known ? (
            <svg
              className={classes["bar"]}
              viewBox="0 0 100 8"
              preserveAspectRatio="none"
              data-kept={isKept}
              aria-hidden
            >
              <rect className={classes["away"] ?? ""} x="0" y="0" width="100" height="8" />
              <rect className={classes["there"] ?? ""} x="0" y="0" width={share} height="8" />
            </svg>
          ) : null}
          <span className={known ? (isKept ? "ok" : "bad") : "dim"}>{text}</span>
        </span>
      </td>
      <td className="num">{known ? duration(uptime) : "–"}</td>
      <td className="num">{known ? duration(downtime) : "–"}</td>
      <td className={error_budget < 0 ? "num bad" : "num"}>
        {known ? duration(error_budget) : "–"}
      </td>
    </tr>
  );
}

function duration(seconds: number): string {
  if (seconds === 0) return "0";
  return seconds < 0 ? `−${formatAge(-seconds)}` : formatAge(seconds);
}
