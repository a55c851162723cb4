// On-call schedules: who is on call now, until when, and who comes next.

import { useMemo } from "react";
import type { OnCall, OncallSchedule } from "@/api/oncall";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import type { Matcher } from "@/lib/words";
import { useNow } from "@/ui/clock";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { personText, shiftsFrom } from "./calendar";
import { SCHEDULES, useOnCall, useSchedules } from "./queries";

const DAY = 86_400;
const AHEAD = 31 * DAY;
const PATH = "/oncall/$oncallid";

export function SchedulesPage(search: ListProps) {
  // a new question each quarter of an hour is new enough: shifts of the time between are known
  const from = Math.floor(nowSeconds() / 900) * 900;
  const onCall = useOnCall(undefined, from, from + AHEAD);
  const columns = useMemo(() => columnsOf(new Map(onCall.data?.map(byId))), [onCall.data]);
  const open = useOpen(PATH);
  const edit = useOpen("/oncall/$oncallid/edit");
  return (
    <ObjectList
      title={t("On call")}
      note={(rows) => plural(rows.length, "1 schedule", "{n} schedules")}
      calls={SCHEDULES}
      query={useSchedules()}
      select={select}
      columns={columns}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => edit("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There is no on-call schedule yet.")}
      first={t("Use a schedule in an action to send messages to the user on call.")}
    />
  );
}

const idOf = ({ oncallid }: OncallSchedule) => oncallid;

function select(all: readonly OncallSchedule[], finds: Matcher): readonly OncallSchedule[] {
  return all.filter(({ name }) => finds(() => [name]));
}

function byId(it: OnCall): readonly [string, OnCall] {
  return [it.oncallid, it];
}

function columnsOf(found: ReadonlyMap<string, OnCall>): readonly DataColumn<OncallSchedule>[] {
  return [
    nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(140px, 1.5fr)" }),
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
