// Four weeks of maintenances: a line each, with a bar for each time that it is in effect. The server returns
// the times; midnights are those of the zone that times are shown in.

import { ActionIcon, Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Maintenance } from "@/api/maintenance";
import { t } from "@/lib/i18n";
import { formatDateTime, nowSeconds, wallAt } from "@/lib/time";
import { QueryGate } from "@/ui/states";
import { ZoneName } from "@/ui/zone-name";
import classes from "./maintenance.module.css";
import { useMaintenanceCalendar } from "./queries";
import { midnights, type Occurrence, occurrencesOf } from "./state";

const DAYS = 28;
const HEIGHT = 10;
// that an hour of four weeks can be seen
const SHARE_MIN = 0.003;

export interface CalendarProps {
  readonly maintenances: readonly Maintenance[];
}

export function Calendar({ maintenances }: CalendarProps) {
  const [page, setPage] = useState(0);
  const days = useMemo(() => midnights(nowSeconds(), page * DAYS, DAYS), [page]);
  const [from, until] = [days[0] ?? 0, days[DAYS] ?? 0];
  const query = useMaintenanceCalendar(from, until);
  return (
    <section className={classes["calendar"]} aria-label={t("Calendar")}>
      <div className={classes["bar"]}>
        <h2>{t("Calendar")}</h2>
        <ActionIcon aria-label={t("Four weeks earlier")} onClick={() => setPage(page - 1)}>
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Button variant="default" size="compact-xs" onClick={() => setPage(0)}>
          {t("Today")}
        </Button>
        <ActionIcon aria-label={t("Four weeks later")} onClick={() => setPage(page + 1)}>
          <IconChevronRight size={16} />
        </ActionIcon>
        <span className="dim">
          {formatDateTime(from).slice(0, 10)} – {formatDateTime(until - 1).slice(0, 10)}
        </span>
        <ZoneName />
      </div>
      <QueryGate query={query}>
        {(found) => {
          const occurrences = occurrencesOf(found.maintenances);
          const shown = maintenances.filter((it) => occurrences.has(it.maintenanceid));
          return (
            <>
              {found.complete ? null : (
                <p className="bad">{t("Too many periods: not all of them are shown.")}</p>
              )}
              {shown.length === 0 ? (
                <p className="dim">{t("No maintenance in these four weeks.")}</p>
              ) : (
                <div className={classes["lanes"]}>
                  <span />
                  <Days days={days} />
                  {shown.map(({ maintenanceid, name }) => (
                    <Lane
                      key={maintenanceid}
                      id={maintenanceid}
                      name={name}
                      days={days}
                      periods={occurrences.get(maintenanceid) ?? []}
                    />
                  ))}
                </div>
              )}
            </>
          );
        }}
      </QueryGate>
    </section>
  );
}

function Days({ days }: { readonly days: readonly number[] }) {
  const columns = days.slice(1).map((next, at) => `${next - (days[at] ?? 0)}fr`);
  return (
    <div className={classes["days"]} style={{ gridTemplateColumns: columns.join(" ") }} aria-hidden>
      {days.slice(0, -1).map((day) => {
        const date = wallAt(day);
        const weekday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
        return (
          <span key={day} data-weekend={weekday % 6 === 0}>
            {date.day}
          </span>
        );
      })}
    </div>
  );
}

interface LaneProps {
  readonly id: string;
  readonly name: string;
  readonly days: readonly number[];
  readonly periods: readonly Occurrence[];
}

function Lane({ id, name, days, periods }: LaneProps) {
  const from = days[0] ?? 0;
  const length = (days.at(-1) ?? 0) - from;
  const now = nowSeconds() - from;
  const spoken = periods.map(spanText).join("; ");
  return (
    <>
      <Link className="ellipsis" to="/maintenance/$maintenanceid" params={{ maintenanceid: id }}>
        {name}
      </Link>
      <svg
        className={classes["lane"]}
        viewBox={`0 0 ${length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${spoken}`}
      >
        {days.slice(1, -1).map((day) => (
          <line
            key={day}
            className={classes["midnight"] ?? ""}
            x1={day - from}
            x2={day - from}
            y1={0}
            y2={HEIGHT}
          />
        ))}
        {periods.map((period) => {
          const x = Math.max(period.since - from, 0);
          const width = Math.min(period.until - from, length) - x;
          return (
            <rect
              key={period.since}
              className={classes["effect"] ?? ""}
              x={x}
              y={1}
              width={Math.max(width, length * SHARE_MIN)}
              height={HEIGHT - 2}
            >
              <title>{spanText(period)}</title>
            </rect>
          );
        })}
        {0 <= now && now < length ? (
          <line className={classes["now"] ?? ""} x1={now} x2={now} y1={0} y2={HEIGHT} />
        ) : null}
      </svg>
    </>
  );
}

function spanText({ since, until }: Occurrence): string {
  return `${formatDateTime(since).slice(0, 16)} – ${formatDateTime(until).slice(0, 16)}`;
}
