// All problems, part by part: the first rows are there long before the last.

import { t, translated } from "@/lib/i18n";
import { ApiError, sessionLost } from "./http";
import type { ProblemRows, ProblemsHead } from "./problem-lines";
import type { WorkerAsk, WorkerMessage } from "./problem-worker";
import type { Id } from "./types";

/** What a page shows first; all others follow. */
export interface FirstProblems {
  readonly hostids: readonly Id[];
  readonly severities: readonly number[];
  readonly bySeverity: boolean;
}

export const NEWEST_FIRST: FirstProblems = { hostids: [], severities: [], bySeverity: false };

/** Takes a snapshot as it comes. */
export interface ProblemsSink {
  readonly head: (head: ProblemsHead) => void;
  readonly rows: (rows: ProblemRows) => void;
}

/** Ends when all rows were handed over, or with an error. */
export type LoadProblems = (
  first: FirstProblems,
  sink: ProblemsSink,
  signal: AbortSignal,
) => Promise<void>;

function pathOf({ hostids, severities, bySeverity }: FirstProblems): string {
  const params = new URLSearchParams();
  if (hostids.length > 0) params.set("hostids", hostids.join(","));
  if (severities.length > 0) params.set("severities", severities.join(","));
  if (bySeverity) params.set("sort", "severity");
  return params.size === 0 ? "/api/v1/problems" : `/api/v1/problems?${params}`;
}

/** What the page at an address shows first; undefined: it shows no problems. Reads it as filter.ts of the problems does. */
export function firstAt(pathname: string, search: string): FirstProblems | undefined {
  const page = /^\/(?:hosts\/(\d+)\/)?problems\/?$/.exec(pathname);
  if (page === null) return undefined;
  const [, hostid] = page;
  const params = new URLSearchParams(search);
  const listed = (name: string) => (params.get(name) ?? "").split(",").filter(Boolean);
  const severities = new Set(listed("sev").filter((it) => /^[0-5]$/.test(it)));
  return {
    hostids: hostid === undefined ? listed("hosts") : [hostid],
    severities: [...severities].map(Number).sort(),
    bySeverity: params.get("sort") === "-severity",
  };
}

/** A snapshot that was requested early: its first rows, so that reading it does not delay the files of a page. */
class EarlySnapshot {
  readonly path: string;
  private readonly worker: Worker;
  private readonly held: MessageEvent<WorkerMessage>[] = [];
  private hasFailed = false;

  constructor(path: string) {
    this.path = path;
    this.worker = openWorker();
    this.worker.onmessage = (event: MessageEvent<WorkerMessage>) => {
      this.held.push(event);
      this.hasFailed ||= event.data.type === "failed";
    };
    this.worker.onerror = () => {
      this.hasFailed = true;
    };
    ask(this.worker, { path, first: true });
  }

  end(): void {
    this.worker.terminate();
  }

  /** Its worker and the messages so far; undefined: it is of another path, or has to be requested again. */
  take(path: string): readonly [Worker, readonly MessageEvent<WorkerMessage>[]] | undefined {
    if (path === this.path && !this.hasFailed) return [this.worker, this.held];
    this.end();
    return undefined;
  }
}

let early: EarlySnapshot | undefined;

// the page is there by then, or something is wrong with it
const EARLY_MS = 20_000;

/** Requests them while the files of the page are loading; a request for the same path soon after gets the result. */
export function loadEarly(first: FirstProblems): void {
  const begun = new EarlySnapshot(pathOf(first));
  early = begun;
  setTimeout(() => {
    if (early !== begun) return;
    early = undefined;
    begun.end();
  }, EARLY_MS);
}

function ask(worker: Worker, asked: WorkerAsk): void {
  worker.postMessage(asked);
}

function openWorker(): Worker {
  return new Worker(new URL("./problem-worker.ts", import.meta.url), { type: "module" });
}

export const loadProblems: LoadProblems = async (first, sink, signal) => {
  try {
    await loadOnce(first, sink, signal);
  } catch (error) {
    const isLost = error instanceof ApiError && error.kind === "session";
    if (!isLost || !(await sessionLost())) throw error;
    await loadProblems(first, sink, signal);
  }
};

const loadOnce: LoadProblems = (first, sink, signal) => {
  const path = pathOf(first);
  const begun = early?.take(path);
  early = undefined;
  const [worker, held] = begun ?? [openWorker(), []];
  return new Promise<void>((done, fail) => {
    const receive = ({ data }: MessageEvent<WorkerMessage>) => {
      switch (data.type) {
        case "head":
          return sink.head(data.head);
        case "rows":
          return sink.rows(data.rows);
        case "done":
          return done();
        case "failed":
          return fail(new ApiError(data.kind, translated(data.message), data.detail));
        default:
          return data satisfies never;
      }
    };
    worker.onmessage = receive;
    // its file could not be loaded: the server is away, or of another version by now
    worker.onerror = () => fail(new ApiError("network", t("The server does not answer."), ""));
    signal.addEventListener("abort", () => fail(signal.reason));
    for (const message of held) receive(message);
    ask(worker, begun === undefined ? { path, first: false } : "goOn");
  }).finally(() => worker.terminate());
};
