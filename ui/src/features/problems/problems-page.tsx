// Problems, live: every filter is in the address, filtering happens here in the tab, the keyboard does all.

import { Button, Switch } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import {
  type CSSProperties,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
} from "react";
import type { FirstProblems } from "@/api/problem-load";
import { problemStore, useProblems } from "@/api/problem-store";
import type { ProblemRow, ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { saveCsv } from "@/lib/csv";
import { plural, t } from "@/lib/i18n";
import { formatCount } from "@/lib/units";
import { useNow } from "@/ui/clock";
import { useKeys } from "@/ui/keys";
import { Page } from "@/ui/page";
import { EmptyState, FailedState, LoadingState } from "@/ui/states";
import { type Column, VirtualTable } from "@/ui/virtual-table";
import { AcknowledgeDialog } from "./acknowledge-dialog";
import { useAnnouncements, useAnnouncing } from "./announce";
import { useColumns } from "./columns";
import { csvOf } from "./export";
import {
  applyFilter,
  type ProblemFilter,
  type ProblemSearch,
  type ProblemSort,
  readFilter,
  writeFilter,
} from "./filter";
import { listLayout } from "./layout";
import { ListMenu } from "./list-menu";
import { ProblemFilters } from "./problem-filters";
import { ProblemPanel } from "./problem-panel";
import classes from "./problems.module.css";
import { usePastProblem, useUndo } from "./queries";
import { type Lines, plainLines, timelineLines } from "./timeline";
import { problemTree } from "./tree";

export interface ProblemsPageProps {
  readonly search: ProblemSearch;
  readonly onSearch: (search: ProblemSearch) => void;
  /** problems of one host, as a part of its page */
  readonly hostid?: Id;
}

export function ProblemsPage({ search, onSearch, hostid }: ProblemsPageProps) {
  const view = useProblems(firstShown(search, hostid));
  if (view.state !== "ready") {
    return (
      <Page title={t("Problems")}>
        {view.state === "loading" ? (
          <LoadingState />
        ) : (
          <FailedState error={view.error} onRetry={problemStore.refresh} />
        )}
      </Page>
    );
  }
  return (
    <LoadedProblems
      table={view.table}
      revision={view.revision}
      loading={view.loading}
      search={search}
      onSearch={onSearch}
      hostid={hostid}
    />
  );
}

/** What the list begins with: these come before all others. */
function firstShown(search: ProblemSearch, hostid: Id | undefined): FirstProblems {
  const { hostids, severities, sort, descending } = readFilter(search);
  return {
    hostids: hostid === undefined ? hostids : [hostid],
    severities,
    bySeverity: sort === "severity" && descending,
  };
}

interface LoadedProblemsProps {
  readonly table: ProblemTable;
  readonly revision: number;
  /** how many there will be, while only the first are there */
  readonly loading: number | undefined;
  readonly search: ProblemSearch;
  readonly onSearch: (search: ProblemSearch) => void;
  readonly hostid: Id | undefined;
}

// resolved problems leave the "recent" view with the clock; nobody needs that to the second
const CLOCK_STEP = 10;

function LoadedProblems(props: LoadedProblemsProps) {
  const { table, revision, loading, search, onSearch, hostid } = props;
  const filter = useMemo(() => readFilter(search), [search]);
  const now = Math.floor(useNow() / CLOCK_STEP) * CLOCK_STEP;
  // typing stays smooth with 100,000 problems: the list follows a moment later
  const deferred = useDeferredValue(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the table changes in place; `revision` says when
  const result = useMemo(() => {
    const effective = hostid === undefined ? deferred : { ...deferred, hostids: [hostid] };
    return applyFilter(table, effective, now);
  }, [table, revision, deferred, now, hostid]);
  const [unfolded, setUnfolded] = useState<ReadonlySet<Id>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const entries = useMemo(() => {
    const timed = deferred.sort === "time" && deferred.timeline;
    const tree = problemTree(table, result.positions, unfolded);
    const lines = timed
      ? timelineLines(table, tree.positions, now, tree.nested)
      : plainLines(tree.positions);
    return { ...lines, table, symptoms: tree.symptoms };
  }, [table, revision, result, deferred, now, unfolded]);

  const [announcing, setAnnouncing] = useAnnouncing();
  useAnnouncements(announcing, {
    table,
    revision,
    positions: result.positions,
    isWhole: loading === undefined,
  });
  const undo = useUndo();
  const [cursorId, setCursorId] = useState<Id | undefined>(undefined);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  // as they are when the dialog opens: the update is taken back to that
  const [updating, setUpdating] = useState<Updating | undefined>(undefined);
  const change = useCallback(
    (next: Partial<ProblemFilter>) => {
      const event = search.event === undefined ? {} : { event: search.event };
      onSearch({ ...writeFilter({ ...filter, ...next }), ...event });
    },
    [filter, search.event, onSearch],
  );
  const openEvent = useCallback(
    (eventid: Id | undefined) =>
      onSearch({ ...writeFilter(filter), ...(eventid === undefined ? {} : { event: eventid }) }),
    [filter, onSearch],
  );
  const addTag = useCallback(
    (tag: TagPair) => {
      const known = filter.tags.some(([name, value]) => name === tag[0] && value === tag[1]);
      if (!known) change({ tags: [...filter.tags, tag] });
    },
    [filter.tags, change],
  );
  const toggle = useCallback((eventid: Id) => setPicked((it) => toggled(it, eventid)), []);
  const unfold = useCallback((eventid: Id) => setUnfolded((it) => toggled(it, eventid)), []);

  const cursor = useMemo(() => {
    const position = cursorId === undefined ? undefined : entries.table.position(cursorId);
    return position === undefined ? -1 : entries.lines.indexOf(position);
  }, [entries, cursorId]);
  const move = (step: 1 | -1) => {
    let at = cursor;
    do at += step;
    while ((entries.lines[at] ?? 0) < 0);
    const eventid = table.id(entries.lines[at] ?? -1);
    if (eventid === undefined) return;
    setCursorId(eventid);
    if (search.event !== undefined) openEvent(eventid);
  };
  const rowsOf = (ids: Iterable<Id>) => [...ids].flatMap((id) => table.byId(id) ?? []);
  const pickAll = () => setPicked(new Set(result.positions.flatMap((at) => table.id(at) ?? [])));
  const exportList = () => {
    const day = new Date(now * 1000).toISOString().slice(0, 10);
    saveCsv(`problems-${day}.csv`, csvOf(table, result.positions, now));
  };
  const openUpdate = (rows: readonly ProblemRow[]) => {
    if (rows.length > 0) setUpdating({ rows, symptoms: symptomsOf(table, rows) });
  };
  const acknowledge = () => {
    const ids = picked.size > 0 ? picked : cursorId === undefined ? [] : [cursorId];
    openUpdate(rowsOf(ids));
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      if (cursorId !== undefined) toggle(cursorId);
    },
    X: pickAll,
    o: () => {
      if (cursorId !== undefined && entries.symptoms.has(Number(cursorId))) unfold(cursorId);
    },
    u: undo.run,
    e: acknowledge,
    ["Enter"]: () => {
      if (cursorId !== undefined) openEvent(cursorId);
    },
    ["Escape"]: () => {
      if (search.event !== undefined) openEvent(undefined);
      else setPicked(new Set());
    },
  });
  const live = search.event === undefined ? undefined : table.byId(search.event);
  const past = usePastProblem(live === undefined ? search.event : undefined);
  const shown = live ?? past.data ?? undefined;
  const layout = useMemo(
    () => listLayout(table, result.positions, now, shown !== undefined),
    [table, result, now, shown],
  );
  const columns = useColumns({
    picked,
    toggle,
    addTag,
    withHost: hostid === undefined,
    layout,
    narrow: shown !== undefined,
    symptoms: entries.symptoms,
    unfolded,
    unfold,
  });
  const onVisible = useFollowed(entries, shown?.eventid);
  const getEntry = useCallback((at: number) => entryAt(entries, at), [entries]);
  const count = result.positions.length;
  const content = (
    <>
      <VirtualTable<Entry>
        label={t("Problems")}
        columns={useEntryColumns(columns)}
        count={entries.lines.length}
        getRow={getEntry}
        rowKey={entryKey}
        sort={{ by: filter.sort, descending: filter.descending }}
        onSort={({ by, descending }) =>
          change({
            sort: by as ProblemSort,
            descending: by === filter.sort ? descending : by === "time" || by === "severity",
          })
        }
        cursor={cursor}
        isPicked={(entry) => entry.kind === "problem" && picked.has(entry.row.eventid)}
        isDimmed={(entry) => entry.kind === "problem" && entry.row.rClock > 0}
        renderWhole={(entry) =>
          entry.kind === "section" ? (
            <span className={classes["section"]} style={{ "--time": layout.time } as CSSProperties}>
              {entry.title}
            </span>
          ) : undefined
        }
        onRowClick={(entry, _at, event) => {
          if (entry.kind !== "problem") return;
          if ((event.target as HTMLElement).closest("a,button,input,label") !== null) return;
          setCursorId(entry.row.eventid);
          openEvent(entry.row.eventid);
        }}
        onVisible={onVisible}
        empty={loading === undefined ? <NoProblems filtered={table.size > 0} /> : <LoadingState />}
      />
      {updating === undefined ? null : (
        <AcknowledgeDialog
          problems={updating.rows}
          symptoms={updating.symptoms}
          causesFor={(text) => possibleCauses(table, updating.rows, text)}
          onUpdated={undo.offer}
          onClose={() => {
            setUpdating(undefined);
            setPicked(new Set());
          }}
        />
      )}
    </>
  );
  return (
    <Page
      title={t("Problems")}
      note={
        loading === undefined
          ? plural(count, "1 problem", "{n} problems")
          : loadingText(table.size, loading)
      }
      actions={
        <>
          {picked.size === 0 ? null : (
            <Button leftSection={<IconCheck size={14} />} onClick={acknowledge}>
              {plural(picked.size, "Update 1 problem", "Update {n} problems")}
            </Button>
          )}
          <Switch
            label={t("Suppressed")}
            checked={filter.suppressed}
            onChange={(event) => change({ suppressed: event.currentTarget.checked })}
          />
          <Switch
            label={t("Timeline")}
            checked={filter.timeline}
            disabled={filter.sort !== "time"}
            onChange={(event) => change({ timeline: event.currentTarget.checked })}
          />
          <ListMenu
            search={search}
            onSearch={onSearch}
            count={count}
            onExport={loading === undefined ? exportList : undefined}
            onPickAll={pickAll}
            announcing={announcing}
            onAnnouncing={setAnnouncing}
          />
        </>
      }
      filters={
        <ProblemFilters
          filter={filter}
          bySeverity={loading === undefined ? result.bySeverity : undefined}
          onChange={change}
          hostName={(id) => table.hosts.entries.find((it) => it.hostid === id)?.host ?? id}
        />
      }
      aside={
        shown === undefined ? undefined : (
          <ProblemPanel
            problem={shown}
            onClose={() => openEvent(undefined)}
            onAcknowledge={(problem) => openUpdate([problem])}
            onTag={addTag}
            onOpen={openEvent}
          />
        )
      }
    >
      {content}
    </Page>
  );
}

// so many are offered as a cause; typing narrows them down
const CAUSES_OFFERED = 30;

/** Open problems that may be the cause of others, those that were picked first. */
function possibleCauses(
  table: ProblemTable,
  picked: readonly ProblemRow[],
  text: string,
): readonly ProblemRow[] {
  const needle = text.trim().toLowerCase();
  const found = picked.length > 1 && needle === "" ? [...picked] : [];
  for (let at = 0; at < table.size && found.length < CAUSES_OFFERED; at += 1) {
    if (table.rClock[at] !== 0 || table.cause[at] !== 0) continue;
    const row = table.row(at);
    if (row === undefined || found.some((it) => it.eventid === row.eventid)) continue;
    if (picked.length === 1 && picked[0]?.eventid === row.eventid) continue;
    if (`${row.host}: ${row.name}`.toLowerCase().includes(needle)) found.push(row);
  }
  return found;
}

interface Updating {
  readonly rows: readonly ProblemRow[];
  readonly symptoms: readonly ProblemRow[];
}

/** Symptoms of problems that are not among these themselves: they go along when their cause becomes a symptom. */
function symptomsOf(table: ProblemTable, rows: readonly ProblemRow[]): readonly ProblemRow[] {
  const ids = new Set(rows.map(({ eventid }) => Number(eventid)));
  const found: ProblemRow[] = [];
  for (let at = 0; at < table.size; at += 1) {
    const cause = table.cause[at] ?? 0;
    if (cause === 0 || !ids.has(cause)) continue;
    const row = table.row(at);
    if (row !== undefined && !ids.has(Number(row.eventid))) found.push(row);
  }
  return found;
}

function toggled(ids: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

type Entry =
  | { readonly kind: "problem"; readonly row: ProblemRow }
  | { readonly kind: "section"; readonly title: string };

type EntryLines = Lines & { readonly table: ProblemTable };

/** The stream tells operational data of the problems on the screen; the table says which lines these are. */
function useFollowed(entries: EntryLines, open: Id | undefined) {
  const [lines, setLines] = useState<readonly [number, number]>([0, -1]);
  const followed = useMemo(() => {
    const [first, last] = lines;
    const ids = [...entries.lines.slice(first, last + 1)].flatMap(
      (it) => entries.table.id(it) ?? [],
    );
    return (open === undefined ? ids : [...ids, open]).join();
  }, [entries, lines, open]);
  useEffect(() => {
    if (followed !== "") return problemStore.follow(followed.split(","));
    return undefined;
  }, [followed]);
  return useCallback((first: number, last: number) => setLines([first, last]), []);
}

/** Rows are made for the lines on the screen only. */
function entryAt(entries: EntryLines, at: number): Entry | undefined {
  const line = entries.lines[at];
  if (line === undefined) return undefined;
  if (line < 0) return { kind: "section", title: entries.titles[-line - 1] ?? "" };
  const row = entries.table.row(line);
  return row === undefined ? undefined : { kind: "problem", row };
}

function entryKey(entry: Entry): string {
  return entry.kind === "problem" ? entry.row.eventid : `section ${entry.title}`;
}

function loadingText(shown: number, total: number): string {
  return t("first {n} of {total}, loading the others", {
    n: formatCount(shown),
    total: formatCount(total),
  });
}

function NoProblems({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <EmptyState title={t("No problem matches the filters.")} />
  ) : (
    <EmptyState title={t("No problems")}>
      {t("All triggers are in order. Problems appear here the moment they begin.")}
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
