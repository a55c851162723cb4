// All problems of the tab: a snapshot, then deltas, from when a page lists them on. The snapshot comes in parts:
// the first rows are shown while the others are on their way. Readers get a new `revision` at most every 200 ms,
// however fast deltas come.

import { useEffect, useSyncExternalStore } from "react";
import { t } from "@/lib/i18n";
import { ApiError } from "./http";
import type { ProblemRows } from "./problem-lines";
import { type FirstProblems, type LoadProblems, loadProblems, NEWEST_FIRST } from "./problem-load";
import { decodeProblemRow, ProblemTable } from "./problem-table";
import { type Stream, type StreamMessage, stream } from "./stream";
import type { Id } from "./types";

export type ProblemsView =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown }
  | {
      readonly state: "ready";
      readonly table: ProblemTable;
      readonly revision: number;
      /** rows that there will be, while only the first are there */
      readonly loading: number | undefined;
    };

/** Keeps the same tables elsewhere, where filtering them does not stop the page. */
export interface ProblemMirror {
  /** Before the first table. */
  readonly start: () => void;
  /** Nobody needs the tables any more. */
  readonly stop: () => void;
  /** A line of a snapshot, which the table has taken already: its columns may be moved to another thread. */
  readonly rows: (table: ProblemTable, rows: ProblemRows) => void;
  /** Event ids of rows that came, changed or went. */
  readonly changed: (table: ProblemTable, eventids: readonly number[]) => void;
}

// readers filter and sort again at each notice: with 100,000 problems once a second is enough
const NOTIFY_MS = 200;
const NOTIFY_MS_MAX = 1000;
const ROWS_PER_MS = 100;
const RETRY_MS = 3000;
// without the stream (a proxy that refuses it, a network between) the snapshot is fetched again and again
const POLL_MS = 15_000;
// with more of them the server is asked for what is newest when the snapshot is there
const HELD_ROWS_MAX = 200_000;

export class ProblemStore {
  private view: ProblemsView = { state: "loading" };
  private readonly listeners = new Set<() => void>();
  private users = 0;
  private stopWant: (() => void) | undefined;
  private stops: (() => void)[] = [];
  /** deltas that arrive while a snapshot is on its way */
  private held: StreamMessage[] | undefined;
  private heldRows = 0;
  private first = NEWEST_FIRST;
  private abort = new AbortController();
  /** lost connections when the newest snapshot was asked for; -1: the stream was away then */
  private losses = 0;
  /** the snapshot on its way may be from before something that it has to hold */
  private stale = false;
  /** the version from which on missed changes were asked for */
  private asked: number | undefined;
  private notifyTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private pollTimer: ReturnType<typeof setInterval> | undefined;
  private mirror: ProblemMirror | undefined;
  private readonly source: Stream;
  private readonly load: LoadProblems;

  constructor(source: Stream, load: LoadProblems) {
    this.source = source;
    this.load = load;
  }

  /** From the next start on. */
  mirrorTo(mirror: ProblemMirror): void {
    this.mirror = mirror;
  }

  getView = (): ProblemsView => this.view;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Keeps the store running until the returned function is called; the first caller decides what is shown first. */
  use = (first: FirstProblems = NEWEST_FIRST): (() => void) => {
    this.users += 1;
    if (this.users === 1) {
      this.first = first;
      this.start();
    }
    return () => {
      this.users -= 1;
      if (this.users === 0) this.stop();
    };
  };

  refresh = (): void => {
    void this.fetch();
  };

  /** Keeps the operational data of some problems up to date until the returned function is called. */
  follow = (eventids: readonly Id[]): (() => void) => this.source.want({ opdata: eventids });

  /** With the same server, changes since the snapshot are fetched; another server has its own versions. */
  private opened = (): void => {
    if (this.source.losses !== this.losses) this.refresh();
  };

  private start(): void {
    this.mirror?.start();
    this.abort = new AbortController();
    this.stopWant = this.source.want({ problems: true });
    this.stops = [this.source.onMessage(this.receive), this.source.onOpen(this.opened)];
    this.pollTimer = setInterval(() => {
      if (this.source.state !== "live") this.refresh();
    }, POLL_MS);
    void this.fetch();
  }

  private stop(): void {
    this.stopWant?.();
    for (const stop of this.stops) stop();
    this.stops = [];
    this.abort.abort();
    clearInterval(this.pollTimer);
    clearTimeout(this.retryTimer);
    clearTimeout(this.notifyTimer);
    this.notifyTimer = undefined;
    this.held = undefined;
    this.view = { state: "loading" };
    this.mirror?.stop();
  }

  private async fetch(): Promise<void> {
    if (this.held !== undefined) {
      this.stale = true;
      return;
    }
    const { signal } = this.abort;
    this.held = [];
    this.heldRows = 0;
    this.stale = false;
    const { state, losses } = this.source;
    this.losses = state === "live" || losses === 0 ? losses : -1;
    this.asked = undefined;
    clearTimeout(this.retryTimer);
    try {
      const table = await this.loaded(signal);
      if (signal.aborted) return;
      const held = this.held ?? [];
      this.held = undefined;
      for (const message of held) this.apply(table, message);
      this.set({ state: "ready", table, revision: this.nextRevision(), loading: undefined });
      if (this.stale) void this.fetch();
    } catch (error) {
      if (signal.aborted) return;
      this.held = undefined;
      // the last data stay on the screen; the connection's state is shown elsewhere
      if (this.view.state !== "ready") this.set({ state: "failed", error });
      this.retryTimer = setTimeout(this.refresh, RETRY_MS);
    }
  }

  /** A whole snapshot. While there is nothing better, its first rows are shown. */
  private async loaded(signal: AbortSignal): Promise<ProblemTable> {
    const table = new ProblemTable();
    const hasAll = this.view.state === "ready" && this.view.loading === undefined;
    let total = 0;
    let shownAt: number | undefined;
    await this.load(
      this.first,
      {
        head: (head) => {
          table.version = head.version;
          total = head.total;
          table.reserve(total);
        },
        rows: (rows) => {
          if (signal.aborted) return;
          table.append(rows);
          this.mirror?.rows(table, rows);
          const isTime = shownAt === undefined || Date.now() - shownAt > NOTIFY_MS_MAX;
          if (hasAll || !isTime || table.size >= total) return;
          shownAt = Date.now();
          this.set({ state: "ready", table, revision: this.nextRevision(), loading: total });
        },
      },
      signal,
    );
    if (table.size !== total) {
      throw new ApiError("network", t("The server ended its response early."), "");
    }
    return table;
  }

  private receive = (message: StreamMessage): void => {
    if (message.type !== "problems" && message.type !== "opdata") return;
    if (message["resync"] === true) {
      this.refresh();
      return;
    }
    if (this.held !== undefined) {
      this.hold(message);
      return;
    }
    if (this.view.state !== "ready") return;
    const { table } = this.view;
    this.apply(table, message);
    this.notifyTimer ??= setTimeout(
      () => {
        this.notifyTimer = undefined;
        if (this.view.state !== "ready") return;
        this.set({ ...this.view, revision: this.nextRevision() });
      },
      Math.min(NOTIFY_MS_MAX, NOTIFY_MS + table.size / ROWS_PER_MS),
    );
  };

  private hold(message: StreamMessage): void {
    const { upsert } = message;
    this.heldRows += Array.isArray(upsert) ? upsert.length : 0;
    if (this.heldRows > HELD_ROWS_MAX) {
      // the next message leads on from a later version than the snapshot's: what is missing is asked for
      this.held = [];
      this.heldRows = 0;
    }
    this.held?.push(message);
  }

  private apply(table: ProblemTable, message: StreamMessage): void {
    if (message.type === "opdata") table.takeOpdata(message["values"]);
    else this.applyChanges(table, message);
  }

  private applyChanges(table: ProblemTable, message: StreamMessage): void {
    const since = Number(message["since"] ?? 0);
    const version = Number(message["version"] ?? 0);
    if (version < table.version) return;
    if (since > table.version) {
      // what happened in between is missing; it comes with the answer, and this message again
      if (this.asked !== table.version) this.source.catchUp(table.version);
      this.asked = table.version;
      return;
    }
    table.version = version;
    const { upsert, remove } = message;
    if (Array.isArray(upsert)) {
      for (const entry of upsert) {
        const row = decodeProblemRow(entry);
        if (row !== undefined) table.upsert(row);
      }
    }
    if (Array.isArray(remove)) for (const id of remove) table.remove(String(id));
  }

  /** Shows a change of the user's before the server confirms it. */
  patch(eventids: readonly Id[], change: { acknowledged?: boolean }): void {
    if (this.view.state !== "ready") return;
    const { table } = this.view;
    for (const id of eventids) {
      const row = table.byId(id);
      if (row !== undefined) table.upsert({ ...row, ...change });
    }
    this.set({ ...this.view, revision: this.nextRevision() });
  }

  private nextRevision(): number {
    return this.view.state === "ready" ? this.view.revision + 1 : 1;
  }

  private set(view: ProblemsView): void {
    this.view = view;
    if (view.state === "ready") {
      const changes = view.table.takeChanges();
      if (changes.length > 0) this.mirror?.changed(view.table, changes);
    }
    for (const listener of this.listeners) listener();
  }
}

export const problemStore = new ProblemStore(stream, loadProblems);

export function useProblems(first: FirstProblems = NEWEST_FIRST): ProblemsView {
  // what is shown first is asked for once; what the user changes then is filtered here
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => problemStore.use(first), []);
  return useSyncExternalStore(problemStore.subscribe, problemStore.getView);
}
