// On-call schedules: who is on call now, until when, and who comes next.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { OnCall, OncallSchedule } from "@/api/oncall";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import { wordMatcher } from "@/lib/words";
import { useNow } from "@/ui/clock";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { personText, shiftsFrom } from "./calendar";
import { useOnCall, useSchedules } from "./queries";

const DAY = 86_400;
const AHEAD = 31 * DAY;

export interface SchedulesPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function SchedulesPage({ text, onText }: SchedulesPageProps) {
  const query = useSchedules();
  const navigate = useNavigate();
  // a new question each quarter of an hour is new enough: shifts of the time between are known
  const from = Math.floor(nowSeconds() / 900) * 900;
  const onCall = useOnCall(undefined, from, from + AHEAD);
  const columns = useMemo(() => columnsOf(new Map(onCall.data?.map(byId))), [onCall.data]);
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter(({ name }) => matches(() => [name]));
  }, [query.data, text]);
  const create = () => void navigate({ to: "/oncall/$oncallid/edit", params: { oncallid: "new" } });
  return (
    <Page
      title={t("On call")}
      note={plural(rows.length, "1 schedule", "{n} schedules")}
      actions={
        <NewButton call="oncall.create" onClick={create}>
          {t("New on-call schedule")}
        </NewButton>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("On call")}
            rows={rows}
            columns={columns}
            rowKey={({ oncallid }) => oncallid}
            onOpen={({ oncallid }) =>
              void navigate({ to: "/oncall/$oncallid", params: { oncallid } })
            }
            empty={
              <EmptyState
                title={
                  all.length === 0
                    ? t("There is no on-call schedule yet.")
                    : t("No schedule matches.")
                }
              >
                {all.length === 0
                  ? t("Use a schedule in an action to send messages to the user on call.")
                  : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function byId(it: OnCall): readonly [string, OnCall] {
  return [it.oncallid, it];
}

function columnsOf(found: ReadonlyMap<string, OnCall>): readonly DataColumn<OncallSchedule>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(140px, 1.5fr)",
      sortValue: ({ name }) => name,
      cell: ({ oncallid, name }) => (
        <Link className="ellipsis" to="/oncall/$oncallid" params={{ oncallid }} data-opens-row>
          {name}
        </Link>
      ),
    },
    {
      id: "now",
      title: t("On call now"),
      width: "minmax(130px, 1fr)",
      cell: ({ oncallid }) => <Turn onCall={found.get(oncallid)} at={0} />,
    },
    {
      id: "until",
      title: t("Until"),
      width: "150px",
      cell: ({ oncallid }) => <Until onCall={found.get(oncallid)} />,
    },
    {
      id: "next",
      title: t("Then"),
      width: "minmax(130px, 1fr)",
      wideOnly: true,
      cell: ({ oncallid }) => <Turn onCall={found.get(oncallid)} at={1} />,
    },
    {
      id: "rotations",
      title: t("Rotations"),
      width: "minmax(120px, 1fr)",
      wideOnly: true,
      cell: ({ rotations }) => (
        <span className="ellipsis">{rotations.map(({ name }) => name).join(", ")}</span>
      ),
    },
    {
      id: "timezone",
      title: t("Time zone"),
      width: "150px",
      wideOnly: true,
      sortValue: ({ timezone }) => timezone,
      cell: ({ timezone }) => <span className="ellipsis">{timezone}</span>,
    },
  ];
}

interface LiveProps {
  readonly onCall: OnCall | undefined;
}

/** `at` 0: the shift under way, 1: the one behind it. */
function Turn({ onCall, at }: LiveProps & { readonly at: number }) {
  const shift = shiftsFrom(useNow(), onCall)[at];
  if (shift === undefined) return <span className="dim">–</span>;
  const isGap = at === 0 && shift.userid === "0";
  return <span className={isGap ? "bad" : "ellipsis"}>{personText(shift)}</span>;
}

function Until({ onCall }: LiveProps) {
  const [current, next] = shiftsFrom(useNow(), onCall);
  return current === undefined || next === undefined ? (
    <span className="dim">–</span>
  ) : (
    formatDateTime(Number(current.time_till)).slice(0, 16)
  );
}
