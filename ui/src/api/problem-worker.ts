// Reads a snapshot of problems outside the page's thread: parsing 200,000 of them would block the page for a second.

import { ApiError, type FailureKind, httpLines } from "./http";
import {
  buffersOf,
  decodeHead,
  LineDecoder,
  type ProblemRows,
  type ProblemsHead,
} from "./problem-lines";

export type WorkerMessage =
  | { readonly type: "head"; readonly head: ProblemsHead }
  | { readonly type: "rows"; readonly rows: ProblemRows }
  | { readonly type: "done" }
  | {
      readonly type: "failed";
      readonly kind: FailureKind;
      readonly message: string;
      readonly detail: string;
    };

/** What it is asked for, once; with `first` it waits after the first rows until they are shown. */
export type WorkerAsk = { readonly path: string; readonly first: boolean } | "goOn";

// a million problems over a slow line
const TIMEOUT_MS = 300_000;

const post = (message: WorkerMessage, buffers: ArrayBuffer[] = []) =>
  self.postMessage(message, { transfer: buffers });

let goOn: () => void = () => {};
const isWanted = new Promise<void>((done) => {
  goOn = done;
});

async function load(path: string): Promise<void> {
  const decoder = new LineDecoder();
  let isFirst = true;
  for await (const line of httpLines(path, { timeoutMs: TIMEOUT_MS, quietSession: true })) {
    if (isFirst) {
      post({ type: "head", head: decodeHead(line) });
      isFirst = false;
      continue;
    }
    const rows = decoder.decode(line);
    post({ type: "rows", rows }, buffersOf(rows));
    await isWanted;
  }
  post({ type: "done" });
}

self.onmessage = async ({ data }: MessageEvent<WorkerAsk>) => {
  if (data === "goOn") return goOn();
  if (!data.first) goOn();
  try {
    await load(data.path);
  } catch (error) {
    const known = error instanceof ApiError;
    post({
      type: "failed",
      kind: known ? error.kind : "answer",
      message: error instanceof Error ? error.message : String(error),
      detail: known ? error.detail : "",
    });
  }
};
