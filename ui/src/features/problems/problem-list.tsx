// The list itself: lines of problems and the sections between them. A row is made when its line is on the screen.

import { Button } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { type CSSProperties, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { problemStore } from "@/api/problem-store";
import type { ProblemRow, ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatCount } from "@/lib/units";
import { useOfNow } from "@/ui/clock";
import { EmptyState, FailedState, LoadingState } from "@/ui/states";
import { type Column, type Sort, VirtualTable } from "@/ui/virtual-table";
import { Entries, type Entry } from "./entries";
import { type ProblemGrouping, tagOf } from "./filter";
import type { ListLayout } from "./layout";
import classes from "./problems.module.css";
import { type ListSection, timelineSection } from "./timeline";

export interface ProblemListProps {
  readonly table: ProblemTable;
  /** the table changes in place: rows are rebuilt with it */
  readonly revision: number;
  /** event ids and, below 0, sections */
  readonly lines: Float64Array;
  readonly sections: readonly ListSection[];
  readonly grouping: ProblemGrouping | undefined;
  readonly layout: ListLayout;
  readonly columns: readonly Column<ProblemRow>[];
  readonly sortBy: string;
  readonly descending: boolean;
  readonly onSort: (sort: Sort) => void;
  /** line */
  readonly cursor: number;
  readonly picked: ReadonlySet<number>;
  /** besides those on the screen */
  readonly followed: Id | undefined;
  readonly onOpen: (eventid: Id, line: number) => void;
  readonly onFold: (key: string) => void;
  /** what is not there is not on its way */
  readonly isWhole: boolean;
  /** something is set that hides problems */
  readonly isFiltered: boolean;
  readonly failure: Error | undefined;
  /** takes all filters away */
  readonly onClear: () => void;
}

export const ProblemList = memo(function ProblemList(props: ProblemListProps) {
  const { table, revision, lines, sections, grouping, layout, columns } = props;
  const { sortBy, descending, picked, followed, onOpen, onFold, isWhole } = props;
  const [entries] = useState(() => new Entries());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the table changes in place; `revision` says when
  const getEntry = useCallback(
    (line: number): Entry | undefined => {
      const id = lines[line];
      if (id === undefined) return undefined;
      if (id < 0) {
        const section = sections[-id - 1];
        return section === undefined ? undefined : entries.section(section, -id);
      }
      return entries.problem(table, id);
    },
    [entries, table, revision, lines, sections],
  );
  // of several groups a problem stands in each, so its id names no line
  const entryKey = useCallback(
    (entry: Entry, line: number) => {
      if (entry.kind === "section") return `section ${entry.at}`;
      return grouping === undefined ? entry.row.eventid : `${entry.row.eventid} ${line}`;
    },
    [grouping],
  );
  const renderWhole = useCallback(
    (entry: Entry) =>
      entry.kind === "section" ? (
        <SectionLine
          section={entry.section}
          grouping={grouping}
          time={layout.time}
          onFold={onFold}
        />
      ) : undefined,
    [grouping, layout.time, onFold],
  );
  return (
    <VirtualTable<Entry>
      label={t("Problems")}
      hasTallRows
      columns={useEntryColumns(columns)}
      count={lines.length}
      getRow={getEntry}
      rowKey={entryKey}
      sort={{ by: sortBy, descending }}
      onSort={props.onSort}
      cursor={props.cursor}
      isPicked={(entry) => entry.kind === "problem" && picked.has(Number(entry.row.eventid))}
      isDimmed={(entry) => entry.kind === "problem" && entry.row.rClock > 0}
      renderWhole={renderWhole}
      onRowClick={(entry, line, event) => {
        if (entry.kind !== "problem") return;
        if ((event.target as HTMLElement).closest("a,button,input,label") !== null) return;
        onOpen(entry.row.eventid, line);
      }}
      onVisible={useFollowed(lines, followed)}
      empty={
        <EmptyList
          isWhole={isWhole}
          isFiltered={props.isFiltered}
          isEmpty={table.size === 0}
          failure={props.failure}
          onClear={props.onClear}
        />
      }
    />
  );
});

interface SectionLineProps {
  readonly section: ListSection;
  readonly grouping: ProblemGrouping | undefined;
  /** grid track of the column of times */
  readonly time: string;
  readonly onFold: (key: string) => void;
}

function SectionLine({ section, grouping, time, onFold }: SectionLineProps) {
  if (section.kind === "time") return <TimeLine clock={section.clock} time={time} />;
  const { key, n, folded } = section;
  return (
    <button
      type="button"
      className={classes["group"]}
      aria-expanded={!folded}
      onClick={() => onFold(key)}
    >
      {folded ? <IconChevronRight size={14} /> : <IconChevronDown size={14} />}
      {t("{name} ({n})", { name: groupName(section.name, grouping), n: formatCount(n) })}
    </button>
  );
}

function TimeLine({ clock, time }: { readonly clock: number; readonly time: string }) {
  const title = useOfNow((now) => timelineSection(clock, now).title);
  return (
    <span className={classes["section"]} style={{ "--time": time } as CSSProperties}>
      {title}
    </span>
  );
}

function groupName(name: string | undefined, grouping: ProblemGrouping | undefined): string {
  const tag = tagOf(grouping ?? "");
  if (tag !== undefined)
    return name === undefined ? t("without {tag}", { tag }) : `${tag}: ${name}`;
  if (name === undefined) return t("in no group");
  return grouping === "severity" ? severityName(toSeverity(name)) : name;
}

// rows that are scrolled past are not read
const SETTLE_MS = 150;

/** The stream sends operational data of the problems on the screen; the list names these. */
function useFollowed(lines: Float64Array, open: Id | undefined) {
  const [range, setRange] = useState<readonly [number, number]>([0, -1]);
  const followed = useMemo(() => {
    const [first, last] = range;
    const ids = [...lines.subarray(first, last + 1)].filter((it) => it > 0).map(String);
    return [...new Set(open === undefined ? ids : [...ids, open])].join();
  }, [lines, range, open]);
  useEffect(() => {
    if (followed !== "") return problemStore.follow(followed.split(","));
    return undefined;
  }, [followed]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback((first: number, last: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setRange([first, last]), SETTLE_MS);
  }, []);
}

interface EmptyListProps {
  readonly isWhole: boolean;
  readonly isFiltered: boolean;
  /** there is no problem at all */
  readonly isEmpty: boolean;
  readonly failure: Error | undefined;
  readonly onClear: () => void;
}

function EmptyList({ isWhole, isFiltered, isEmpty, failure, onClear }: EmptyListProps) {
  if (failure !== undefined) {
    return <FailedState error={failure} onRetry={() => window.location.reload()} />;
  }
  if (!isWhole) return <LoadingState />;
  if (isEmpty) {
    return (
      <EmptyState title={t("No problems")}>
        {t("All triggers are OK. New problems appear here immediately.")}
      </EmptyState>
    );
  }
  return isFiltered ? (
    <EmptyState title={t("No problem matches the filters.")}>
      <Button variant="default" onClick={onClear}>
        {t("Clear the filters")}
      </Button>
    </EmptyState>
  ) : (
    <EmptyState title={t("No problems")}>
      {t("No open problems. Turn on “Suppressed” to show suppressed problems.")}
    </EmptyState>
  );
}

/** Cells are written for problems; separators have none. */
function useEntryColumns(columns: readonly Column<ProblemRow>[]): readonly Column<Entry>[] {
  return useMemo(
    () =>
      columns.map((column) => ({
        ...column,
        cell: (entry: Entry) => (entry.kind === "problem" ? column.cell(entry.row) : null),
      })),
    [columns],
  );
}
