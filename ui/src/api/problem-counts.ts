// How many problems are open, by severity: what every page shows. The problems themselves are loaded only
// where they are listed.

import { useEffect, useSyncExternalStore } from "react";
import { fetchOverview } from "./native";
import * as schema from "./schema";
import { type Stream, type StreamMessage, stream } from "./stream";
import type { ProblemCounts } from "./types";

// without the stream the counts are asked for, as everything else is
const POLL_MS = 15_000;

export class ProblemCountStore {
  private counts: ProblemCounts | undefined;
  private readonly listeners = new Set<() => void>();
  private users = 0;
  private stops: (() => void)[] = [];
  private pollTimer: ReturnType<typeof setInterval> | undefined;
  private readonly source: Stream;
  private readonly load: () => Promise<ProblemCounts>;

  constructor(source: Stream, load: () => Promise<ProblemCounts>) {
    this.source = source;
    this.load = load;
  }

  /** undefined until they are known */
  getCounts = (): ProblemCounts | undefined => this.counts;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Keeps the counts coming until the returned function is called. */
  use = (): (() => void) => {
    this.users += 1;
    if (this.users === 1) this.start();
    return () => {
      this.users -= 1;
      if (this.users === 0) this.stop();
    };
  };

  private start(): void {
    this.stops = [this.source.want({ counts: true }), this.source.onMessage(this.receive)];
    this.pollTimer = setInterval(() => void this.poll(), POLL_MS);
  }

  private stop(): void {
    for (const stop of this.stops) stop();
    this.stops = [];
    clearInterval(this.pollTimer);
    this.counts = undefined;
  }

  private async poll(): Promise<void> {
    if (this.source.isLive()) return;
    try {
      const counts = await this.load();
      if (this.users > 0 && !this.source.isLive()) this.set(counts);
    } catch {
      // the last counts stay; the state of the connection is shown next to them
    }
  }

  private receive = (message: StreamMessage): void => {
    if (message.type !== "counts") return;
    const counts = schema.problemCounts.safeParse(message["problems_by_severity"]);
    if (counts.success) this.set(counts.data);
  };

  private set(counts: ProblemCounts): void {
    this.counts = counts;
    for (const listener of this.listeners) listener();
  }
}

export const problemCounts = new ProblemCountStore(
  stream,
  async () => (await fetchOverview()).problems_by_severity,
);

export function useProblemCounts(): ProblemCounts | undefined {
  useEffect(() => problemCounts.use(), []);
  return useSyncExternalStore(problemCounts.subscribe, problemCounts.getCounts);
}
