// The shifts of a week or a month: a bar each, in the colour of its user. A bar is a button, by which somebody
// else takes the shift.

import { ActionIcon, Button, SegmentedControl, Select } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useMemo } from "react";
import type { OncallSchedule, Shift } from "@/api/oncall";
import { t } from "@/lib/i18n";
import { browserZone, dateIn, wallOf, weekdayOf } from "@/lib/zone";
import { chartColor } from "@/ui/charts/plot-options";
import { useNow } from "@/ui/clock";
import { QueryGate } from "@/ui/states";
import {
  type Bar,
  barsOf,
  type CalendarRow,
  type CalendarView,
  colorsOf,
  joined,
  personText,
  rangeOf,
  rowsOf,
  spanText,
  stepped,
} from "./calendar";
import { WEEKDAYS } from "./draft";
import classes from "./oncall.module.css";
import { useOnCall } from "./queries";

export interface ScheduleCalendarProps {
  readonly schedule: OncallSchedule;
  /** the schedule's, by name */
  readonly ownZone: string;
  readonly view: CalendarView;
  /** the zone that is shown */
  readonly zone: string;
  /** a moment of the week or month */
  readonly at: number;
  readonly onShow: (change: {
    view?: CalendarView;
    zone?: string;
    at?: number | undefined;
  }) => void;
  readonly onPick: ((shift: Shift) => void) | undefined;
}

const NAMED_DAYS = WEEKDAYS.map((name) => name.slice(0, 3));
// names of narrower bars would be cut after a letter or two
const NAMED_PERCENT = 4;

export function ScheduleCalendar(props: ScheduleCalendarProps) {
  const { schedule, ownZone, view, zone, at, onShow, onPick } = props;
  const rows = useMemo(() => rowsOf(at, view, zone), [at, view, zone]);
  const [from, till] = rangeOf(rows);
  const query = useOnCall(schedule.oncallid, from, till);
  const colors = useMemo(() => colorsOf(usersOf(schedule)), [schedule]);
  const zones = [...new Set([ownZone, browserZone(), "UTC"])];
  return (
    <section className={classes["calendar"]} aria-label={t("Calendar")}>
      <div className={classes["bar"]}>
        <SegmentedControl
          size="xs"
          aria-label={t("View")}
          data={[
            { value: "week", label: t("Week") },
            { value: "month", label: t("Month") },
          ]}
          value={view}
          onChange={(it) => onShow({ view: it === "month" ? "month" : "week" })}
        />
        <ActionIcon
          aria-label={t("Earlier")}
          onClick={() => onShow({ at: stepped(at, view, zone, -1) })}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Button variant="default" size="compact-xs" onClick={() => onShow({ at: undefined })}>
          {t("Today")}
        </Button>
        <ActionIcon
          aria-label={t("Later")}
          onClick={() => onShow({ at: stepped(at, view, zone, 1) })}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
        <span role="status">
          {dateIn(from, zone)} – {dateIn(till - 1, zone)}
        </span>
        <Select
          size="xs"
          w={240}
          aria-label={t("Time zone shown")}
          data={zones.map((value) => ({
            value,
            label: value === ownZone ? t("{zone} (the schedule's)", { zone: value }) : value,
          }))}
          value={zone}
          allowDeselect={false}
          onChange={(it) => onShow({ zone: it ?? ownZone })}
        />
      </div>
      <QueryGate query={query}>
        {([found]) => (
          <div className={classes["rows"]} data-view={view}>
            {view === "month" ? <DayNames /> : <Hours />}
            {rows.map((row) => (
              <Row
                key={row.days[0]}
                row={row}
                view={view}
                zone={zone}
                month={wallOf(at, zone).month}
                bars={barsOf(row, joined(found?.shifts ?? []))}
                colors={colors}
                schedule={schedule}
                onPick={onPick}
              />
            ))}
          </div>
        )}
      </QueryGate>
    </section>
  );
}

function usersOf({ rotations, overrides }: OncallSchedule): readonly string[] {
  return [
    ...rotations.flatMap(({ users }) => users.map(({ userid }) => userid)),
    ...overrides.map(({ userid }) => userid),
  ];
}

function DayNames() {
  return (
    <div className={classes["head"]} aria-hidden>
      {NAMED_DAYS.map((name) => (
        <span key={name}>{name}</span>
      ))}
    </div>
  );
}

const HOURS = ["00:00", "06:00", "12:00", "18:00"] as const;

/** Where the day has 23 or 25 hours, lines of hours are as on any other: bars say their times. */
function Hours() {
  return (
    <div className={classes["head"]} aria-hidden>
      {HOURS.map((hour) => (
        <span key={hour}>{hour}</span>
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: CalendarRow;
  readonly view: CalendarView;
  readonly zone: string;
  /** that is shown; other days of its weeks are dim */
  readonly month: number;
  readonly bars: readonly Bar[];
  readonly colors: ReadonlyMap<string, number>;
  readonly schedule: OncallSchedule;
  readonly onPick: ((shift: Shift) => void) | undefined;
}

function Row({ row, view, zone, month, bars, colors, schedule, onPick }: RowProps) {
  const now = useNow();
  const [from, till] = [row.days[0] ?? 0, row.days.at(-1) ?? 0];
  return (
    <div className={classes["row"]} data-now={from <= now && now < till ? "" : undefined}>
      {view === "week" ? (
        <span className={classes["day"]}>
          {NAMED_DAYS[weekdayOf(from, zone)] ?? ""} {dateIn(from, zone).slice(5)}
        </span>
      ) : (
        <div className={classes["days"]} aria-hidden>
          {row.days.slice(0, -1).map((day) => (
            <span key={day} data-other={wallOf(day, zone).month !== month || undefined}>
              {wallOf(day, zone).day}
            </span>
          ))}
        </div>
      )}
      <ul className={classes["track"]} aria-label={dateIn(from, zone)} data-view={view}>
        {bars.map((bar) => (
          <ShiftBar
            key={bar.shift.time_from}
            bar={bar}
            zone={zone}
            schedule={schedule}
            color={colors.get(bar.shift.userid) ?? 0}
            onPick={onPick}
          />
        ))}
        {from <= now && now < till ? (
          <li
            className={classes["now"]}
            aria-hidden
            style={{ left: `${(100 * (now - from)) / (till - from)}%` }}
          />
        ) : null}
      </ul>
    </div>
  );
}

interface ShiftBarProps {
  readonly bar: Bar;
  readonly zone: string;
  readonly schedule: OncallSchedule;
  readonly color: number;
  readonly onPick: ((shift: Shift) => void) | undefined;
}

function ShiftBar({ bar: { shift, left, width }, zone, schedule, color, onPick }: ShiftBarProps) {
  const who = personText(shift);
  const isOverride = shift.override === "1";
  const layer = isOverride
    ? t("override")
    : (schedule.rotations[Number(shift.rotation) - 1]?.name ?? "");
  const text = `${who}, ${layer}, ${spanText(Number(shift.time_from), Number(shift.time_till), zone)}`;
  const named = width < NAMED_PERCENT ? "" : who;
  const common = {
    className: classes["shift"],
    "data-override": isOverride || undefined,
    title: text,
    "aria-label": text,
  };
  return (
    <li
      className={classes["place"]}
      style={{ left: `${left}%`, width: `${width}%`, "--user": chartColor(color) } as object}
    >
      {onPick === undefined ? (
        <span role="img" {...common}>
          {named}
        </span>
      ) : (
        <button type="button" {...common} onClick={() => onPick(shift)}>
          {named}
        </button>
      )}
    </li>
  );
}
