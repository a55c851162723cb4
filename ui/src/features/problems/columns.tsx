// The columns of the list of problems.

import {
  IconActivity,
  IconCheck,
  IconChevronDown,
  IconChevronRight,
  IconCornerDownRight,
  IconEyeOff,
} from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import type { ProblemRow } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { plural, t } from "@/lib/i18n";
import { HostLink } from "@/ui/host-link";
import { useNarrow } from "@/ui/narrow";
import { SeverityLabel, SeverityMark, severityWidth } from "@/ui/severity-mark";
import { TagList } from "@/ui/tags";
import { Age, Instant } from "@/ui/times";
import type { Column } from "@/ui/virtual-table";
import type { ListLayout } from "./layout";
import classes from "./problems.module.css";

export interface ColumnsInput {
  /** event ids */
  readonly picked: ReadonlySet<number>;
  readonly toggle: (eventid: Id) => void;
  readonly addTag: (tag: TagPair) => void;
  readonly withHost: boolean;
  readonly layout: ListLayout;
  /** details take the room next to the list */
  readonly narrow: boolean;
  /** how many symptoms the list has of a problem, by its event id */
  readonly symptoms: ReadonlyMap<number, number>;
  readonly unfolded: ReadonlySet<Id>;
  readonly unfold: (eventid: Id) => void;
  /** ids of columns that the user does not want to see */
  readonly hidden: readonly string[];
}

export function useColumns(input: ColumnsInput): readonly Column<ProblemRow>[] {
  const { picked, toggle, addTag, withHost, narrow, layout, symptoms, unfolded, unfold, hidden } =
    input;
  const { time, host, hasTags } = layout;
  // on a small screen the mark alone says how bad it is
  const phone = useNarrow();
  const brief = phone || narrow;
  return useMemo(() => {
    const all: (Column<ProblemRow> & { readonly skip?: boolean })[] = [
      {
        id: "pick",
        wideOnly: true,
        title: <span className="unseen">{t("Picked")}</span>,
        width: "32px",
        cell: (row) => (
          <input
            type="checkbox"
            aria-label={t("Pick problem {name}", { name: row.name })}
            checked={picked.has(Number(row.eventid))}
            onChange={() => toggle(row.eventid)}
          />
        ),
      },
      {
        id: "time",
        wideOnly: true,
        title: t("Time"),
        width: time,
        sortable: true,
        cell: (row) => (
          <span className={classes["time"]}>
            <Instant seconds={row.clock} />
          </span>
        ),
      },
      {
        id: "severity",
        title: brief ? <span className="unseen">{t("Severity")}</span> : t("Severity"),
        width: brief ? "40px" : severityWidth(),
        sortable: true,
        cell: (row) =>
          brief ? (
            <SeverityMark severity={row.severity} />
          ) : (
            <SeverityLabel severity={row.severity} />
          ),
      },
      {
        id: "status",
        wideOnly: true,
        skip: narrow,
        title: t("Status"),
        width: "78px",
        cell: (row) =>
          row.rClock > 0 ? (
            <span className="ok">{t("Resolved")}</span>
          ) : (
            <span className="bad">{t("Problem")}</span>
          ),
      },
      {
        id: "host",
        // it stands below the problem there
        skip: !withHost || phone,
        title: t("Host"),
        width: host,
        sortable: true,
        cell: (row) => <HostLink hostid={row.hostid} host={row.host} />,
      },
      {
        id: "name",
        title: t("Problem"),
        width: brief ? "minmax(110px, 2.6fr)" : "minmax(240px, 2.6fr)",
        sortable: true,
        cell: (row) => {
          const name = (
            <span className="ellipsis" title={row.name}>
              <Fold
                row={row}
                count={symptoms.get(Number(row.eventid)) ?? 0}
                open={unfolded.has(row.eventid)}
                onToggle={unfold}
              />
              <Marks suppressed={row.suppressed} flapping={row.flapping} />
              {row.name}
              {phone || row.opdata === "" ? null : <span className="dim"> · {row.opdata}</span>}
            </span>
          );
          return phone ? <TwoLines row={row} name={name} withHost={withHost} /> : name;
        },
      },
      {
        id: "duration",
        title: t("Duration"),
        width: phone ? "68px" : "80px",
        align: "right",
        cell: (row) => <Age since={row.clock} until={row.rClock > 0 ? row.rClock : undefined} />,
      },
      {
        id: "ack",
        wideOnly: true,
        title: t("Ack"),
        width: "54px",
        align: "center",
        cell: (row) =>
          row.acknowledged ? (
            <IconCheck size={15} className="ok" aria-label={t("acknowledged")} />
          ) : (
            <span className="dim">–</span>
          ),
      },
      {
        id: "tags",
        wideOnly: true,
        skip: narrow || !hasTags,
        title: t("Tags"),
        width: "minmax(150px, 1.6fr)",
        cell: (row) => <TagList tags={row.tags} onPick={addTag} max={2} />,
      },
    ];
    return all.filter((column) => column.skip !== true && !hidden.includes(column.id));
  }, [
    picked,
    toggle,
    addTag,
    withHost,
    narrow,
    brief,
    phone,
    time,
    host,
    hasTags,
    symptoms,
    unfolded,
    unfold,
    hidden,
  ]);
}

interface TwoLinesProps {
  readonly row: ProblemRow;
  readonly name: ReactNode;
  readonly withHost: boolean;
}

/** The problem, and below it where it is and what is known of it. */
function TwoLines({ row, name, withHost }: TwoLinesProps) {
  return (
    <span className={classes["twoLines"]}>
      {name}
      <span className={classes["secondLine"]}>
        {row.acknowledged ? (
          <IconCheck size={13} className="ok" role="img" aria-label={t("acknowledged")} />
        ) : null}
        {withHost ? <HostLink hostid={row.hostid} host={row.host} /> : null}
        <span className="ellipsis dim">{row.opdata}</span>
      </span>
    </span>
  );
}

interface MarksProps {
  readonly suppressed: boolean;
  readonly flapping: boolean;
}

/** Why nothing is sent of a problem. */
function Marks({ suppressed, flapping }: MarksProps) {
  return (
    <>
      {suppressed ? (
        <IconEyeOff size={14} className="dim" role="img" aria-label={t("suppressed")} />
      ) : null}
      {suppressed ? " " : null}
      {flapping ? (
        <span title={t("Flapping: no messages are sent until the trigger is stable.")}>
          <IconActivity size={14} className="dim" role="img" aria-label={t("flapping")} />
        </span>
      ) : null}
      {flapping ? " " : null}
    </>
  );
}

interface FoldProps {
  readonly row: ProblemRow;
  readonly count: number;
  readonly open: boolean;
  readonly onToggle: (eventid: Id) => void;
}

/** Before the name: the symptoms of a cause, to be unfolded, or the mark of a symptom. */
function Fold({ row, count, open, onToggle }: FoldProps) {
  if (count > 0) {
    return (
      <button
        type="button"
        className={classes["fold"]}
        aria-expanded={open}
        aria-label={plural(count, "1 symptom", "{n} symptoms")}
        onClick={() => onToggle(row.eventid)}
      >
        {open ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
        {count}
      </button>
    );
  }
  if (row.cause === "0") return null;
  return (
    <IconCornerDownRight
      size={14}
      className={classes["symptom"] ?? ""}
      role="img"
      aria-label={t("symptom")}
    />
  );
}
