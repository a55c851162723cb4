// The list of problems as it is asked for and answered in a worker: a mirror of the tab's table, filtered, sorted and
// grouped there. Answers name problems by event id, so they hold whatever happens to positions meanwhile, and are typed
// arrays that change threads without being copied. The thread is list-worker.ts, the page's side list-client.ts.

import type { GroupMembers } from "@/api/groups";
import type { ProblemRows } from "@/api/problem-lines";
import { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import { setShownZone } from "@/lib/time";
import { applyFilter, collatorOf, type FilterResult } from "./apply";
import { type Common, commonOf, facetsOf, type ShownFacets, shownFacets, tagNames } from "./facets";
import type { ProblemFilter } from "./filter";
import { type GroupsOfHost, groupedLines } from "./grouping";
import { type Lines, type ListSection, plainLines, timelineLines } from "./timeline";
import { type ProblemTree, problemTree } from "./tree";

/** What the list shall show. */
export interface ListQuestion {
  readonly filter: ProblemFilter;
  /** seconds; resolved problems leave the list with it */
  readonly now: number;
  /** causes whose symptoms are shown */
  readonly unfolded: ReadonlySet<Id>;
  /** keys of groups whose problems are not */
  readonly folded: ReadonlySet<string>;
  /** the text that hosts, groups and tags are looked for by; undefined: nobody wants to know what there is */
  readonly facets: string | undefined;
  /** BCP 47, for the order of names */
  readonly locale: string;
  /** undefined: the browser's */
  readonly zone: string | undefined;
}

export interface ListAnswer {
  /** from 1 on the event id of a problem; below 0 a section, -1 standing for the first */
  readonly lines: Float64Array<ArrayBuffer>;
  readonly sections: readonly ListSection[];
  /** event ids of problems that the filter lets through and that have no line: folded away */
  readonly hidden: Float64Array<ArrayBuffer>;
  /** how many the filter lets through */
  readonly count: number;
  /** by severity, of what the other conditions let through */
  readonly bySeverity: readonly number[];
  /** how many symptoms of a cause the list has, by the cause's event id */
  readonly symptoms: ReadonlyMap<number, number>;
  readonly facets: ShownFacets | undefined;
  /** the greatest event id of the whole table */
  readonly newest: number;
}

/** Groups in the form that is cheap to send. */
export interface PackedGroups {
  readonly ids: readonly Id[];
  readonly names: readonly string[];
  /** where the hosts of each end in the next */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly hostids: Float64Array<ArrayBuffer>;
}

export function packGroups(groups: readonly GroupMembers[]): PackedGroups {
  const hostids = new Float64Array(groups.reduce((sum, it) => sum + it.hostids.size, 0));
  let at = 0;
  const ends = Uint32Array.from(groups, (group) => {
    for (const hostid of group.hostids) {
      hostids[at] = Number(hostid);
      at += 1;
    }
    return at;
  });
  return { ids: groups.map((it) => it.groupid), names: groups.map((it) => it.name), ends, hostids };
}

function unpackGroups({ ids, names, ends, hostids }: PackedGroups): readonly GroupMembers[] {
  return ids.map((groupid, at) => ({
    groupid,
    name: names[at] ?? "",
    hostids: new Set(
      Array.from(hostids.subarray(at === 0 ? 0 : ends[at - 1], ends[at]), (it) => String(it)),
    ),
  }));
}

/** Messages come without a number, questions with one. `table` is the tab's table. */
export type ListRequest =
  | { readonly type: "rows"; readonly table: number; readonly rows: ProblemRows }
  | {
      readonly type: "changed";
      readonly table: number;
      readonly rows: ProblemRows;
      readonly gone: readonly number[];
    }
  | { readonly type: "groups"; readonly groups: PackedGroups }
  | ListAsk;

export type ListAsk =
  | {
      readonly type: "list";
      readonly id: number;
      readonly table: number;
      readonly question: ListQuestion;
    }
  /** event ids of the list, in its order, of folded problems as well */
  | {
      readonly type: "ids";
      readonly id: number;
      readonly table: number;
      readonly question: ListQuestion;
    }
  /** what those picked have in common and the others of the list have not; without any, the list next to all */
  | {
      readonly type: "common";
      readonly id: number;
      readonly table: number;
      readonly question: ListQuestion;
      readonly picked: Float64Array;
    }
  | { readonly type: "tags"; readonly id: number; readonly table: number; readonly max: number };

export interface ListResults {
  readonly list: ListAnswer;
  readonly ids: Float64Array<ArrayBuffer>;
  readonly common: { readonly n: number; readonly found: readonly Common[] };
  readonly tags: readonly string[];
}

/** Of each kind; typing finds the others. */
export const FACETS_SHOWN = 12;

export class ProblemLists {
  private readonly tables = new Map<number, ProblemTable>();
  private groups: readonly GroupMembers[] = [];
  private hostsOfGroup: ReadonlyMap<Id, ReadonlySet<Id>> = new Map();
  private groupsOfHost: GroupsOfHost = new Map();
  private collator = collatorOf("en-US");
  private locale = "en-US";

  /** The answer to a question, undefined for a message. */
  handle(request: ListRequest): ListResults[keyof ListResults] | undefined {
    switch (request.type) {
      case "rows":
        this.table(request.table).append(request.rows);
        return undefined;
      case "changed":
        this.change(request.table, request.rows, request.gone);
        return undefined;
      case "groups":
        this.takeGroups(unpackGroups(request.groups));
        return undefined;
      case "list":
        return this.list(this.shown(request.table), request.question);
      case "ids":
        return this.ids(this.shown(request.table), request.question);
      case "common":
        return this.common(this.shown(request.table), request.question, request.picked);
      case "tags":
        return tagNames(this.shown(request.table), request.max);
      default:
        return request satisfies never;
    }
  }

  /** No message announces an empty table. */
  private table(n: number): ProblemTable {
    let table = this.tables.get(n);
    if (table === undefined) {
      table = new ProblemTable();
      this.tables.set(n, table);
    }
    return table;
  }

  /** A question about a table ends those before it: nobody asks about them again. */
  private shown(n: number): ProblemTable {
    for (const other of this.tables.keys()) if (other < n) this.tables.delete(other);
    return this.table(n);
  }

  private change(n: number, rows: ProblemRows, gone: readonly number[]): void {
    const table = this.table(n);
    table.merge(rows);
    for (const eventid of gone) table.remove(String(eventid));
    // nobody here wants to know them
    table.takeChanges();
  }

  takeGroups(groups: readonly GroupMembers[]): void {
    this.groups = groups;
    this.hostsOfGroup = new Map(groups.map(({ groupid, hostids }) => [groupid, hostids]));
    const ofHost = new Map<Id, { readonly id: Id; readonly name: string }[]>();
    for (const { groupid: id, name, hostids } of groups) {
      const group = { id, name };
      for (const hostid of hostids) {
        const known = ofHost.get(hostid);
        if (known === undefined) ofHost.set(hostid, [group]);
        else known.push(group);
      }
    }
    this.groupsOfHost = ofHost;
  }

  private filtered(table: ProblemTable, { filter, now, locale }: ListQuestion): FilterResult {
    if (locale !== this.locale) {
      this.locale = locale;
      this.collator = collatorOf(locale);
    }
    return applyFilter(table, filter, now, this.hostsOfGroup, this.collator);
  }

  list(table: ProblemTable, question: ListQuestion): ListAnswer {
    const { positions, bySeverity } = this.filtered(table, question);
    const tree = problemTree(table, positions, question.unfolded);
    const { lines, sections } = this.lines(table, tree, question);
    const { facets } = question;
    return {
      lines: idsOf(table, lines),
      sections,
      hidden: hiddenOf(table, positions, tree, { lines, sections }),
      count: positions.length,
      bySeverity,
      symptoms: tree.symptoms,
      facets:
        facets === undefined
          ? undefined
          : shownFacets(facetsOf(table, positions, this.groups), facets, FACETS_SHOWN),
      newest: newestOf(table),
    };
  }

  /** Separators where the list is grouped, or in order of time with its timeline. */
  private lines(table: ProblemTable, tree: ProblemTree, question: ListQuestion): Lines {
    const { filter, now, zone, folded } = question;
    const { positions, nested } = tree;
    if (filter.grouping !== undefined) {
      const { groupsOfHost } = this;
      const by = { grouping: filter.grouping, nested, groupsOfHost, folded };
      return groupedLines(table, positions, by);
    }
    if (filter.sort !== "time" || !filter.timeline) return plainLines(positions);
    setShownZone(zone ?? "default");
    return timelineLines(table, positions, now, nested);
  }

  private ids(table: ProblemTable, question: ListQuestion): Float64Array<ArrayBuffer> {
    return idsOf(table, this.filtered(table, question).positions);
  }

  private common(
    table: ProblemTable,
    question: ListQuestion,
    ids: Float64Array,
  ): ListResults["common"] {
    const { positions } = this.filtered(table, question);
    const chosen = [...ids].flatMap((id) => table.positionOf(id) ?? []);
    const isAll = ids.length === 0;
    const picked: ArrayLike<number> = isAll ? positions : chosen;
    const all: ArrayLike<number> = isAll ? openOf(table) : positions;
    return { n: picked.length, found: commonOf(table, picked, all, this.groups) };
  }
}

/** The list of a small table at once, where the table is. */
export function listOf(
  table: ProblemTable,
  question: ListQuestion,
  groups: readonly GroupMembers[],
): ListAnswer {
  const lists = new ProblemLists();
  if (groups.length > 0) lists.takeGroups(groups);
  return lists.list(table, question);
}

/** Event ids at positions; what is below 0 stays. */
function idsOf(
  table: ProblemTable,
  positions: Int32Array | Uint32Array,
): Float64Array<ArrayBuffer> {
  const ids = new Float64Array(positions.length);
  for (let line = 0; line < ids.length; line += 1) {
    const at = positions[line] ?? 0;
    ids[line] = at < 0 ? at : (table.eventid[at] ?? 0);
  }
  return ids;
}

function hiddenOf(
  table: ProblemTable,
  positions: Uint32Array,
  tree: ProblemTree,
  { lines, sections }: Lines,
): Float64Array<ArrayBuffer> {
  const isWhole = tree.positions.length === positions.length;
  if (isWhole && !sections.some((it) => it.folded)) return new Float64Array();
  const shown = new Uint8Array(table.size);
  for (let line = 0; line < lines.length; line += 1) {
    const at = lines[line] ?? -1;
    if (at >= 0) shown[at] = 1;
  }
  return idsOf(
    table,
    positions.filter((at) => shown[at] === 0),
  );
}

/** Positions of all that are open. */
function openOf(table: ProblemTable): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < table.size; at += 1) if (table.rClock[at] === 0) found.push(at);
  return found;
}

function newestOf(table: ProblemTable): number {
  let newest = 0;
  for (let at = 0; at < table.size; at += 1) newest = Math.max(newest, table.eventid[at] ?? 0);
  return newest;
}
