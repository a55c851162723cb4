// Problems, live: every filter is in the address, the tab filters next to the list, the keyboard does all.

import { Button, Switch } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { memo, useCallback, useMemo, useState } from "react";
import type { GroupMembers } from "@/api/groups";
import { problemStore, useProblems } from "@/api/problem-store";
import { type ProblemRow, ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { saveCsv } from "@/lib/csv";
import { plural, t } from "@/lib/i18n";
import { formatCount } from "@/lib/units";
import { useNow } from "@/ui/clock";
import { asDialog } from "@/ui/dialog";
import { useKeys } from "@/ui/keys";
import { useLatest } from "@/ui/latest";
import { notifyFailed } from "@/ui/notify";
import { Page } from "@/ui/page";
import { FailedState } from "@/ui/states";
import type { Sort } from "@/ui/virtual-table";
import { AcknowledgeDialog } from "./acknowledge-dialog";
import { useAnnouncements, useAnnouncing } from "./announce";
import { useColumns } from "./columns";
import { CommonDialog } from "./common-dialog";
import { useCursor } from "./cursor";
import { csvOf } from "./export";
import { FacetsPanel } from "./facets-panel";
import {
  firstShown,
  isFiltered,
  type ProblemFilter,
  type ProblemGrouping,
  type ProblemSearch,
  type ProblemSort,
  readFilter,
  writeFilter,
} from "./filter";
import { listLayout } from "./layout";
import { ListMenu } from "./list-menu";
import type { ListAnswer, ListQuestion, ListResults } from "./lists";
import { ProblemFilters } from "./problem-filters";
import { ProblemList } from "./problem-list";
import { ProblemPanel } from "./problem-panel";
import classes from "./problems.module.css";
import { useGroups, usePastProblem, useUndo } from "./queries";
import { useHiddenColumns } from "./shown-columns";
import { problemLists, useProblemList } from "./tab-list";
import type { ListSection } from "./timeline";
import { useTyping } from "./typed-text";
import type { Undo } from "./undo";

export interface ProblemsPageProps {
  readonly search: ProblemSearch;
  readonly onSearch: (search: ProblemSearch) => void;
  /** Writes the address alone; `onSearch` follows. */
  readonly onAddress: (search: ProblemSearch) => void;
  /** problems of one host, as a part of its page */
  readonly hostid?: Id;
}

export function ProblemsPage({ search, onSearch, onAddress, hostid }: ProblemsPageProps) {
  const view = useProblems(firstShown(readFilter(search), hostid));
  if (view.state === "failed") {
    return (
      <Page title={t("Problems")}>
        <FailedState error={view.error} onRetry={problemStore.refresh} />
      </Page>
    );
  }
  const { table, revision, loading } = view.state === "ready" ? view : NOTHING_YET;
  return (
    <LoadedProblems
      table={table}
      revision={revision}
      loading={loading}
      search={search}
      onSearch={onSearch}
      onAddress={onAddress}
      hostid={hostid}
    />
  );
}

/** What is around the list stands before its first rows are there: drawing it then would keep them waiting. */
const NOTHING_YET = { table: new ProblemTable(), revision: 0, loading: 0 };

interface LoadedProblemsProps {
  readonly table: ProblemTable;
  /** 0: there is nothing yet */
  readonly revision: number;
  /** how many there will be, while only the first are there */
  readonly loading: number | undefined;
  readonly search: ProblemSearch;
  readonly onSearch: (search: ProblemSearch) => void;
  readonly onAddress: (search: ProblemSearch) => void;
  readonly hostid: Id | undefined;
}

// resolved problems leave the "recent" view with the clock; nobody needs that to the second
const CLOCK_STEP = 10;

function LoadedProblems(props: LoadedProblemsProps) {
  const { table, revision, loading, search, onSearch, onAddress, hostid } = props;
  const filter = useMemo(() => readFilter(search), [search]);
  const effective = useMemo(
    () => (hostid === undefined ? filter : { ...filter, hostids: [hostid] }),
    [filter, hostid],
  );
  const now = Math.floor(useNow() / CLOCK_STEP) * CLOCK_STEP;
  const [facetText, setFacetText] = useState<string | undefined>(undefined);
  const hasFacets = facetText !== undefined;
  const [comparison, setComparison] = useState<ListResults["common"] | undefined>(undefined);
  const [hidden, toggleColumn] = useHiddenColumns();
  const groups = useGroups(filter.groupids.length > 0 || filter.grouping === "group" || hasFacets);
  const [unfolded, setUnfolded] = useState<ReadonlySet<Id>>(NONE);
  const [folded, setFolded] = useFoldedGroups(filter.grouping);
  const typing = useTyping({
    text: filter.text,
    onType: () => {
      ask();
      onAddress(searchWith({}, search.event));
    },
    onSettle: () => onSearch(searchWith({}, search.event)),
  });
  const { view, questionNow, ask } = useProblemList({
    table,
    revision,
    groups: groups.isReady ? groups.groups : undefined,
    filter: effective,
    typed: typing.typed,
    now,
    unfolded,
    folded,
    facets: facetText,
  });
  const answer = view.state === "shown" ? view.answer : undefined;
  const { lines, sections, symptoms, count } = answer ?? NO_ANSWER;
  // of the lines that are there: what was chosen a moment ago may be on its way
  const shownGrouping = view.state === "shown" ? view.question.filter.grouping : undefined;

  const [announcing, setAnnouncing] = useAnnouncing();
  useAnnouncements(announcing, { table, answer, isWhole: loading === undefined });
  const undo = useUndo();
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  // as they are when the dialog opens: the update is taken back to that
  const [updating, setUpdating] = useState<Updating | undefined>(undefined);
  /** The address of the page with a change, and with what was typed. */
  const searchWith = useLatest((next: Partial<ProblemFilter>, event: Id | undefined) => ({
    ...writeFilter({ ...filter, text: typing.typed.text ?? filter.text, ...next }),
    ...(event === undefined ? {} : { event }),
  }));
  const change = useLatest((next: Partial<ProblemFilter>) => {
    onSearch(searchWith(next, search.event));
    if (next.text !== undefined) typing.forget();
  });
  const clear = useLatest(() => {
    const { sort: by, descending, grouping } = filter;
    change({ ...readFilter({}), sort: by, descending, grouping });
  });
  const openEvent = useLatest((eventid: Id | undefined) => onSearch(searchWith({}, eventid)));
  const openView = useLatest((view: ProblemSearch) => {
    typing.forget();
    onSearch(view);
  });
  const addTag = useCallback(
    (tag: TagPair) => {
      const known = filter.tags.some(([name, value]) => name === tag[0] && value === tag[1]);
      if (!known) change({ tags: [...filter.tags, tag] });
    },
    [filter.tags, change],
  );
  const toggle = useCallback((eventid: Id) => setPicked((it) => toggled(it, Number(eventid))), []);
  const unfold = useCallback((eventid: Id) => setUnfolded((it) => toggled(it, eventid)), []);
  const fold = useCallback((key: string) => setFolded((it) => toggled(it, key)), [setFolded]);
  const cursor = useCursor(lines);
  const move = (step: 1 | -1) => {
    const eventid = cursor.move(step);
    if (eventid !== undefined && search.event !== undefined) openEvent(eventid);
  };
  const rowsOf = (ids: Iterable<number>) =>
    [...ids].flatMap((id) => table.row(table.positionOf(id) ?? -1) ?? []);
  const pickAll = useLatest(() => setPicked(pickedOf(answer ?? NO_ANSWER)));
  const exportList = useLatest(() => {
    const day = new Date(now * 1000).toISOString().slice(0, 10);
    problemLists.ids(table, questionNow()).then(
      (ids) => saveCsv(`problems-${day}.csv`, csvOf(table, ids, now)),
      (error: unknown) => notifyFailed(t("The problems could not be exported."), error),
    );
  });
  const compare = useLatest(() => {
    compared(table, questionNow(), picked, groups.fetched).then(setComparison, (error: unknown) =>
      notifyFailed(t("The problems could not be compared."), error),
    );
  });
  const openUpdate = (rows: readonly ProblemRow[]) => {
    if (rows.length > 0) setUpdating({ rows, symptoms: symptomsOf(table, rows) });
  };
  const acknowledge = () => {
    openUpdate(rowsOf(picked.size > 0 ? picked : [Number(cursor.id ?? 0)]));
  };
  const showFacets = useCallback((isOn: boolean) => setFacetText(isOn ? "" : undefined), []);
  const isThere = revision > 0;
  const hostName = useCallback(
    (id: Id) => table.hosts.entries.find((it) => it.hostid === id)?.host ?? (isThere ? id : "…"),
    [table, isThere],
  );
  useListKeys({
    cursor: cursor.id,
    move,
    toggle,
    pickAll,
    unfold: (eventid) => {
      if (symptoms.has(Number(eventid))) unfold(eventid);
    },
    foldAll: () => setFolded((it) => (it.size > 0 ? NONE : keysOf(sections))),
    undo: undo.run,
    acknowledge,
    openEvent,
    close: () => {
      if (search.event !== undefined) openEvent(undefined);
      else setPicked(new Set());
    },
  });
  const shown = useShownProblem(table, search.event);
  const layout = useMemo(
    () => listLayout(table, lines, now, shown !== undefined),
    [table, lines, now, shown],
  );
  const columns = useColumns({
    picked,
    toggle,
    addTag,
    withHost: hostid === undefined,
    layout,
    narrow: shown !== undefined,
    symptoms,
    unfolded,
    unfold,
    hidden,
  });
  const { set: setCursor } = cursor;
  const open = useCallback(
    (eventid: Id, line: number) => {
      setCursor(eventid, line);
      openEvent(eventid);
    },
    [setCursor, openEvent],
  );
  const sort = useCallback(
    ({ by, descending }: Sort) =>
      change({
        sort: by as ProblemSort,
        descending: by === filter.sort ? descending : by === "time" || by === "severity",
      }),
    [filter.sort, change],
  );
  const tagNames = useCallback(() => problemLists.tagNames(table, TAGS_OFFERED), [table]);
  const content = (
    <div className={classes["listRow"]}>
      <FacetsPanel
        facets={answer?.facets}
        text={facetText}
        onText={setFacetText}
        filter={filter}
        onChange={change}
        withHosts={hostid === undefined}
      />
      <div>
        <ProblemList
          table={table}
          revision={revision}
          lines={lines}
          sections={sections}
          grouping={shownGrouping}
          layout={layout}
          columns={columns}
          sortBy={filter.sort}
          descending={filter.descending}
          onSort={sort}
          cursor={cursor.line}
          picked={picked}
          followed={shown?.eventid}
          onOpen={open}
          onFold={fold}
          isWhole={loading === undefined && groups.isReady && answer !== undefined}
          isFiltered={isFiltered(filter)}
          failure={view.state === "failed" ? view.error : undefined}
          onClear={clear}
        />
        <UpdateDialog
          table={table}
          updating={updating}
          onUpdated={undo.offer}
          onClose={() => {
            setUpdating(undefined);
            setPicked(new Set());
          }}
        />
        {comparison && <CommonDialog {...comparison} onClose={() => setComparison(undefined)} />}
      </div>
    </div>
  );
  return (
    <Page
      title={t("Problems")}
      note={
        loading === undefined
          ? answer && plural(count - numberBelow(symptoms), "1 problem", "{n} problems")
          : revision > 0 && loadingText(table.size, loading)
      }
      actions={
        <>
          <UpdateButton n={picked.size} onClick={acknowledge} />
          <ListSwitches
            filter={filter}
            onChange={change}
            hasFacets={hasFacets}
            onFacets={showFacets}
          />
          <ListMenu
            search={search}
            onSearch={openView}
            count={count}
            onExport={loading === undefined ? exportList : undefined}
            onPickAll={pickAll}
            onCompare={compare}
            hidden={hidden}
            onColumn={toggleColumn}
            announcing={announcing}
            onAnnouncing={setAnnouncing}
          />
        </>
      }
      filters={
        <ProblemFilters
          filter={filter}
          bySeverity={loading === undefined ? answer?.bySeverity : undefined}
          onChange={change}
          typing={typing}
          hostName={hostName}
          groupName={groups.nameOf}
          tagNames={tagNames}
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

/** The problem whose details are open: of the list, or one that is not there any more. */
function useShownProblem(table: ProblemTable, event: Id | undefined): ProblemRow | undefined {
  const live = event === undefined ? undefined : table.byId(event);
  const past = usePastProblem(live === undefined ? event : undefined);
  return live ?? past.data ?? undefined;
}

interface ListKeys {
  /** the problem that it stands at */
  readonly cursor: Id | undefined;
  readonly move: (step: 1 | -1) => void;
  readonly toggle: (eventid: Id) => void;
  readonly pickAll: () => void;
  readonly unfold: (eventid: Id) => void;
  readonly foldAll: () => void;
  readonly undo: () => void;
  readonly acknowledge: () => void;
  readonly openEvent: (eventid: Id) => void;
  readonly close: () => void;
}

function useListKeys(keys: ListKeys): void {
  const atCursor = (act: (eventid: Id) => void) => () => {
    if (keys.cursor !== undefined) act(keys.cursor);
  };
  useKeys({
    j: () => keys.move(1),
    k: () => keys.move(-1),
    x: atCursor(keys.toggle),
    X: keys.pickAll,
    o: atCursor(keys.unfold),
    ["O"]: keys.foldAll,
    u: keys.undo,
    e: keys.acknowledge,
    ["Enter"]: atCursor(keys.openEvent),
    ["Escape"]: keys.close,
  });
}

async function compared(
  table: ProblemTable,
  question: ListQuestion,
  picked: ReadonlySet<number>,
  groups: () => Promise<readonly GroupMembers[]>,
): Promise<ListResults["common"]> {
  problemLists.tellGroups(await groups());
  return problemLists.common(table, question, picked);
}

interface UpdateDialogProps {
  readonly table: ProblemTable;
  readonly updating: Updating | undefined;
  readonly onUpdated: (n: number, undo: Undo) => void;
  readonly onClose: () => void;
}

const UpdateDialog = asDialog(UpdateDialogBody);

function UpdateDialogBody({ table, updating, onUpdated, onClose }: UpdateDialogProps) {
  if (updating === undefined) return null;
  const { rows, symptoms } = updating;
  return (
    <AcknowledgeDialog
      problems={rows}
      symptoms={symptoms}
      causesFor={(text) => possibleCauses(table, rows, text)}
      onUpdated={onUpdated}
      onClose={onClose}
    />
  );
}

interface UpdateButtonProps {
  /** problems that are picked */
  readonly n: number;
  readonly onClick: () => void;
}

function UpdateButton({ n, onClick }: UpdateButtonProps) {
  if (n === 0) return null;
  return (
    <Button leftSection={<IconCheck size={14} />} onClick={onClick}>
      {plural(n, "Update 1 problem", "Update {n} problems")}
    </Button>
  );
}

interface ListSwitchesProps {
  readonly filter: ProblemFilter;
  readonly onChange: (change: Partial<ProblemFilter>) => void;
  readonly hasFacets: boolean;
  readonly onFacets: (isOn: boolean) => void;
}

const ListSwitches = memo(function ListSwitches(props: ListSwitchesProps) {
  const { filter, onChange, hasFacets, onFacets } = props;
  return (
    <>
      <Switch
        label={t("Facets")}
        checked={hasFacets}
        onChange={(event) => onFacets(event.currentTarget.checked)}
      />
      <Switch
        label={t("Suppressed")}
        checked={filter.suppressed}
        onChange={(event) => onChange({ suppressed: event.currentTarget.checked })}
      />
      <Switch
        label={t("Timeline")}
        checked={filter.timeline}
        disabled={filter.sort !== "time" || filter.grouping !== undefined}
        onChange={(event) => onChange({ timeline: event.currentTarget.checked })}
      />
    </>
  );
});

type Answered = Pick<ListAnswer, "lines" | "sections" | "hidden" | "count" | "symptoms">;

const NO_ANSWER: Answered = {
  lines: new Float64Array(),
  sections: [],
  hidden: new Float64Array(),
  count: 0,
  symptoms: new Map(),
};

const NONE: ReadonlySet<string> = new Set();
// the most frequent ones; a list of hundreds would be none to choose from
const TAGS_OFFERED = 15;

/** Groups of which only the section is shown; another grouping begins with all of them open. */
function useFoldedGroups(grouping: ProblemGrouping | undefined) {
  const [state, setState] = useState({ grouping, folded: NONE });
  const folded = state.grouping === grouping ? state.folded : NONE;
  const setFolded = useCallback(
    (next: (folded: ReadonlySet<string>) => ReadonlySet<string>) =>
      setState((it) => ({
        grouping,
        folded: next(it.grouping === grouping ? it.folded : NONE),
      })),
    [grouping],
  );
  return [folded, setFolded] as const;
}

function keysOf(sections: readonly ListSection[]): ReadonlySet<string> {
  return new Set(sections.flatMap((it) => (it.kind === "group" ? [it.key] : [])));
}

function pickedOf({ lines, hidden }: Answered): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const list of [lines, hidden]) {
    for (let at = 0; at < list.length; at += 1) {
      const id = list[at] ?? 0;
      if (id > 0) ids.add(id);
    }
  }
  return ids;
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

function toggled<T>(ids: ReadonlySet<T>, id: T): ReadonlySet<T> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Symptoms below their causes: they do not count in addition. */
function numberBelow(symptoms: ReadonlyMap<number, number>): number {
  return [...symptoms.values()].reduce((sum, n) => sum + n, 0);
}

function loadingText(shown: number, total: number): string {
  return t("first {n} of {total}, loading the others", {
    n: formatCount(shown),
    total: formatCount(total),
  });
}
