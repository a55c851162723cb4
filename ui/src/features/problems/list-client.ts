// The page's side of the list of problems: sends the tab's table and what happens to it to the thread that filters it
// (lists.ts), and asks there. One list is asked for at a time: while it is on its way only the newest question waits, and
// an answer to a filter that is no longer wanted is dropped.

import type { GroupMembers } from "@/api/groups";
import { buffersOf, type ProblemRows } from "@/api/problem-lines";
import type { ProblemMirror } from "@/api/problem-store";
import type { ProblemTable } from "@/api/problem-table";
import { t } from "@/lib/i18n";
import type { ListReply } from "./list-worker";
import {
  type ListAnswer,
  type ListAsk,
  type ListQuestion,
  type ListRequest,
  type ListResults,
  listOf,
  packGroups,
} from "./lists";

/** What of a worker is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<ListReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage: (message: ListRequest, options?: { readonly transfer: ArrayBuffer[] }) => void;
  terminate: () => void;
}

export type ListView =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly error: Error }
  | { readonly state: "shown"; readonly answer: ListAnswer; readonly question: ListQuestion };

interface Wanted {
  readonly table: number;
  readonly question: ListQuestion;
}

interface Waiting {
  readonly done: (result: unknown) => void;
  readonly fail: (error: Error) => void;
}

type Asked<Ask> = Ask extends ListAsk ? Omit<Ask, "id"> : never;

// the first rows of a snapshot, or all there are: a millisecond of work
const AT_ONCE_MAX = 1000;

export class ListClient implements ProblemMirror {
  private view: ListView = { state: "waiting" };
  private readonly listeners = new Set<() => void>();
  private worker: WorkerLike | undefined;
  private readonly open: () => WorkerLike;
  private readonly numbers = new WeakMap<ProblemTable, number>();
  private nTables = 0;
  private nAsked = 0;
  private readonly waiting = new Map<number, Waiting>();
  /** on its way */
  private asked: Wanted | undefined;
  /** behind it */
  private wanted: Wanted | undefined;
  private groups: readonly GroupMembers[] | undefined;

  constructor(open: () => WorkerLike) {
    this.open = open;
  }

  getView = (): ListView => this.view;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start = (): void => {
    if (this.worker !== undefined) return;
    const worker = this.open();
    worker.onmessage = ({ data }) => this.receive(data);
    // its file could not be loaded, or it ran out of memory
    worker.onerror = () => this.failed(new Error(t("The list of problems could not be computed.")));
    this.worker = worker;
  };

  stop = (): void => {
    this.worker?.terminate();
    this.worker = undefined;
    this.groups = undefined;
    this.asked = undefined;
    this.wanted = undefined;
    // callers that still wait have left the page
    this.waiting.clear();
    this.set({ state: "waiting" });
  };

  rows = (table: ProblemTable, rows: ProblemRows): void =>
    this.post({ type: "rows", table: this.numberOf(table), rows }, buffersOf(rows));

  changed = (table: ProblemTable, eventids: readonly number[]): void => {
    const rows = table.pack(eventids);
    const gone =
      rows.size === eventids.length
        ? []
        : eventids.filter((id) => table.positionOf(id) === undefined);
    this.post({ type: "changed", table: this.numberOf(table), rows, gone }, buffersOf(rows));
  };

  /** Which hosts are in which group, before what is asked about them. */
  tellGroups(groups: readonly GroupMembers[]): void {
    if (groups === this.groups || this.worker === undefined) return;
    this.groups = groups;
    this.post({ type: "groups", groups: packGroups(groups) });
  }

  /** From now on the list shall show this. The first of a small table is not waited for: its thread only begins then. */
  want(table: ProblemTable, question: ListQuestion): void {
    const isFirst = this.worker !== undefined && this.view.state === "waiting";
    if (isFirst && table.size <= AT_ONCE_MAX) {
      const answer = listOf(table, question, this.groups ?? []);
      this.set({ state: "shown", answer, question });
    }
    this.wanted = { table: this.numberOf(table), question };
    this.ask();
  }

  /** All event ids of a list, in its order. */
  ids(table: ProblemTable, question: ListQuestion): Promise<ListResults["ids"]> {
    return this.call<"ids">({ type: "ids", table: this.numberOf(table), question });
  }

  common(
    table: ProblemTable,
    question: ListQuestion,
    picked: Iterable<number>,
  ): Promise<ListResults["common"]> {
    const ids = Float64Array.from(picked);
    return this.call<"common">({
      type: "common",
      table: this.numberOf(table),
      question,
      picked: ids,
    });
  }

  tagNames(table: ProblemTable, max: number): Promise<ListResults["tags"]> {
    return this.call<"tags">({ type: "tags", table: this.numberOf(table), max });
  }

  private numberOf(table: ProblemTable): number {
    let number = this.numbers.get(table);
    if (number === undefined) {
      this.nTables += 1;
      number = this.nTables;
      this.numbers.set(table, number);
    }
    return number;
  }

  private ask(): void {
    if (this.asked !== undefined || this.wanted === undefined || this.worker === undefined) return;
    const asked = this.wanted;
    this.asked = asked;
    this.wanted = undefined;
    const { worker } = this;
    this.call<"list">({ type: "list", ...asked }).then(
      (answer) => {
        const next = this.wanted?.question;
        const isStale = next !== undefined && !isSameList(next, asked.question);
        if (!isStale || this.view.state !== "shown") {
          this.set({ state: "shown", answer, question: asked.question });
        }
        this.asked = undefined;
        this.ask();
      },
      (error: Error) => {
        if (this.worker === worker) this.failed(error);
      },
    );
  }

  private call<Type extends keyof ListResults>(
    ask: Asked<Extract<ListAsk, { readonly type: Type }>>,
  ): Promise<ListResults[Type]> {
    this.nAsked += 1;
    const id = this.nAsked;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done: (result) => done(result as ListResults[Type]), fail });
      this.post({ ...ask, id } as unknown as ListAsk);
    });
  }

  private post(request: ListRequest, transfer: ArrayBuffer[] = []): void {
    this.worker?.postMessage(request, { transfer });
  }

  private receive(reply: ListReply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ("error" in reply) waiting?.fail(new Error(reply.error));
    else waiting?.done(reply.result);
  }

  private failed(error: Error): void {
    this.asked = undefined;
    this.set({ state: "failed", error });
  }

  private set(view: ListView): void {
    if (view.state === "waiting" && this.view.state === "waiting") return;
    this.view = view;
    for (const listener of this.listeners) listener();
  }
}

/** Whether the one answers the other but for what happened meanwhile. */
function isSameList(a: ListQuestion, b: ListQuestion): boolean {
  return (
    a.filter === b.filter &&
    a.unfolded === b.unfolded &&
    a.folded === b.folded &&
    a.facets === b.facets
  );
}
