// One schedule: who is on call now, the calendar of its shifts, and where calendar programs find them.

import { Button } from "@mantine/core";
import { IconCalendarDown, IconPencil, IconUserPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { calendarAddress, type OncallSchedule, type Shift } from "@/api/oncall";
import { t } from "@/lib/i18n";
import { nowSeconds } from "@/lib/time";
import { browserZone, minuteIn } from "@/lib/zone";
import { useNow } from "@/ui/clock";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { EmptyState, QueryGate } from "@/ui/states";
import { type CalendarView, personText, shiftsFrom } from "./calendar";
import classes from "./oncall.module.css";
import { OverrideDialog } from "./override-dialog";
import { SCHEDULES, useOnCall, useSchedule } from "./queries";
import { ScheduleCalendar } from "./schedule-calendar";

const DAY = 86_400;

export interface CalendarState {
  readonly view: CalendarView;
  /** undefined: the schedule's own */
  readonly zone: string | undefined;
  /** undefined: now */
  readonly at: number | undefined;
}

export interface SchedulePageProps {
  readonly oncallid: string;
  readonly state: CalendarState;
  readonly onState: (state: CalendarState) => void;
  readonly serverZone: string | undefined;
}

export function SchedulePage(props: SchedulePageProps) {
  const { oncallid } = props;
  const canEdit = useLock("oncall.update") === undefined;
  const query = useSchedule(oncallid);
  const navigate = useNavigate();
  const edit = () => void navigate({ to: "/oncall/$oncallid/edit", params: { oncallid } });
  return (
    <Page
      title={query.data?.name ?? SCHEDULES.words.one}
      actions={
        canEdit && query.data !== null ? (
          <Button variant="default" leftSection={<IconPencil size={14} />} onClick={edit}>
            {t("Edit")}
          </Button>
        ) : null
      }
      scroll
    >
      <QueryGate query={query}>
        {(schedule) =>
          schedule === null ? (
            <EmptyState title={SCHEDULES.words.absent} />
          ) : (
            <Schedule key={oncallid} {...props} schedule={schedule} />
          )
        }
      </QueryGate>
    </Page>
  );
}

function Schedule(props: SchedulePageProps & { readonly schedule: OncallSchedule }) {
  const { schedule, state, onState, serverZone } = props;
  const canEdit = useLock("oncall.update") === undefined;
  const [replaced, setReplaced] = useState<Shift | "new" | undefined>(undefined);
  const own = schedule.timezone === "system" ? serverZone : schedule.timezone;
  const ownZone = own ?? browserZone();
  const zone = state.zone ?? ownZone;
  return (
    <>
      <div className={classes["top"]}>
        <Now schedule={schedule} zone={zone} />
        {canEdit ? (
          <Button
            variant="default"
            leftSection={<IconUserPlus size={14} />}
            onClick={() => setReplaced("new")}
          >
            {t("Add override")}
          </Button>
        ) : null}
      </div>
      {schedule.description === "" ? null : <p>{schedule.description}</p>}
      <ScheduleCalendar
        schedule={schedule}
        ownZone={ownZone}
        view={state.view}
        zone={zone}
        at={state.at ?? nowSeconds()}
        onShow={(change) =>
          onState({
            ...state,
            ...change,
            ...(change.zone === undefined
              ? {}
              : { zone: change.zone === ownZone ? undefined : change.zone }),
          })
        }
        onPick={canEdit ? setReplaced : undefined}
      />
      <CalendarLink schedule={schedule} />
      {replaced === undefined ? null : (
        <OverrideDialog
          schedule={schedule}
          shift={replaced === "new" ? undefined : replaced}
          zone={zone}
          onClose={() => setReplaced(undefined)}
        />
      )}
    </>
  );
}

interface NowProps {
  readonly schedule: OncallSchedule;
  readonly zone: string;
}

function Now({ schedule, zone }: NowProps) {
  const from = Math.floor(nowSeconds() / 900) * 900;
  const query = useOnCall(schedule.oncallid, from, from + 31 * DAY);
  const [current, next] = shiftsFrom(useNow(), query.data?.[0]);
  if (current === undefined) return null;
  const till = minuteIn(Number(current.time_till), zone);
  return (
    <p role="status" aria-label={t("On call now")}>
      {t("On call now:")}{" "}
      <span className={`${classes["who"]} ${current.userid === "0" ? "bad" : ""}`}>
        {personText(current)}
      </span>{" "}
      {next === undefined ? null : (
        <span className="dim">
          {t("until {till}, then {next}", { till, next: personText(next) })}
        </span>
      )}
    </p>
  );
}

function CalendarLink({ schedule: { oncallid } }: { readonly schedule: OncallSchedule }) {
  const address = calendarAddress(oncallid);
  return (
    <section className={classes["link"]} aria-label={t("Calendar file")}>
      <a href={address} download="oncall.ics">
        <IconCalendarDown size={14} aria-hidden /> {t("Download as a calendar (iCalendar)")}
      </a>
      <span className="dim">
        {t("Calendar programs that can send a header read it from {address} with", {
          address: `${window.location.origin}${address}`,
        })}{" "}
        <code>Authorization: Bearer …</code> {t("and an API token.")}
      </span>
    </section>
  );
}
