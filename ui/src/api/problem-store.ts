// All problems of the tab: a snapshot, then deltas. One table for the Problems page, the counters and the
// host pages; readers get a new `revision` at most every 200 ms, however fast deltas come.

import { useEffect, useSyncExternalStore } from "react";
import { fetchProblems } from "./native";
import { decodeProblemRow, type ProblemTable } from "./problem-table";
import { type Stream, type StreamMessage, stream } from "./stream";
import type { Id } from "./types";

export type ProblemsView =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown }
  | { readonly state: "ready"; readonly table: ProblemTable; readonly revision: number };

// readers filter and sort anew at each notice: with 100,000 problems once a second is enough
const NOTIFY_MS = 200;
const NOTIFY_MS_MAX = 1000;
const ROWS_PER_MS = 100;
const RETRY_MS = 3000;
// without the stream (a proxy that refuses it, a network between) the snapshot is fetched again and again
const POLL_MS = 15_000;

export class ProblemStore {
  private view: ProblemsView = { state: "loading" };
  private readonly listeners = new Set<() => void>();
  private users = 0;
  private stopWant: (() => void) | undefined;
  private stops: (() => void)[] = [];
  /** deltas that arrive while a snapshot is on its way */
  private held: StreamMessage[] | undefined;
  /** the snapshot on its way may be from before something that it has to hold */
  private stale = false;
  /** the version from which on missed changes were asked for */
  private asked: number | undefined;
  private notifyTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private pollTimer: ReturnType<typeof setInterval> | undefined;
  private readonly source: Stream;
  private readonly load: () => Promise<ProblemTable>;

  constructor(source: Stream, load: () => Promise<ProblemTable>) {
    this.source = source;
    this.load = load;
  }

  getView = (): ProblemsView => this.view;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Keeps the store running until the returned function is called. */
  use = (): (() => void) => {
    this.users += 1;
    if (this.users === 1) this.start();
    return () => {
      this.users -= 1;
      if (this.users === 0) this.stop();
    };
  };

  refresh = (): void => {
    void this.fetch();
  };

  private start(): void {
    this.stopWant = this.source.want({ problems: true });
    this.stops = [this.source.onMessage(this.receive), this.source.onOpen(this.refresh)];
    this.pollTimer = setInterval(() => {
      if (this.source.state !== "live") this.refresh();
    }, POLL_MS);
    void this.fetch();
  }

  private stop(): void {
    this.stopWant?.();
    for (const stop of this.stops) stop();
    this.stops = [];
    clearInterval(this.pollTimer);
    clearTimeout(this.retryTimer);
    clearTimeout(this.notifyTimer);
    this.notifyTimer = undefined;
    this.held = undefined;
    this.view = { state: "loading" };
  }

  private async fetch(): Promise<void> {
    if (this.held !== undefined) {
      this.stale = true;
      return;
    }
    this.held = [];
    this.stale = false;
    this.asked = undefined;
    clearTimeout(this.retryTimer);
    try {
      const table = await this.load();
      const held = this.held ?? [];
      this.held = undefined;
      if (this.users === 0) return;
      for (const message of held) this.apply(table, message);
      this.set({ state: "ready", table, revision: this.nextRevision() });
      if (this.stale) void this.fetch();
    } catch (error) {
      this.held = undefined;
      if (this.users === 0) return;
      // the last data stay on the screen; the connection's state is shown elsewhere
      if (this.view.state !== "ready") this.set({ state: "failed", error });
      this.retryTimer = setTimeout(this.refresh, RETRY_MS);
    }
  }

  private receive = (message: StreamMessage): void => {
    if (message.type !== "problems") return;
    if (message["resync"] === true) {
      this.refresh();
      return;
    }
    if (this.held !== undefined) {
      this.held.push(message);
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

  private apply(table: ProblemTable, message: StreamMessage): void {
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
    for (const listener of this.listeners) listener();
  }
}

export const problemStore = new ProblemStore(stream, () => fetchProblems());

export function useProblems(): ProblemsView {
  useEffect(() => problemStore.use(), []);
  return useSyncExternalStore(problemStore.subscribe, problemStore.getView);
}
