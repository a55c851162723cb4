// All problems, part by part: the first rows are there long before the last.

import { t, translated } from "@/lib/i18n";
import { ApiError, sessionLost } from "./http";
import type { ProblemRows, ProblemsHead } from "./problem-lines";
import type { WorkerMessage } from "./problem-worker";
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

export const loadProblems: LoadProblems = (first, sink, signal) => {
  const worker = new Worker(new URL("./problem-worker.ts", import.meta.url), { type: "module" });
  return new Promise<void>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      switch (data.type) {
        case "head":
          return sink.head(data.head);
        case "rows":
          return sink.rows(data.rows);
        case "done":
          return done();
        case "failed":
          if (data.kind === "session") sessionLost();
          return fail(new ApiError(data.kind, translated(data.message), data.detail));
        default:
          return data satisfies never;
      }
    };
    // its file could not be loaded: the server is away, or of another version by now
    worker.onerror = () => fail(new ApiError("network", t("The server does not answer."), ""));
    signal.addEventListener("abort", () => fail(signal.reason));
    worker.postMessage(pathOf(first));
  }).finally(() => worker.terminate());
};
