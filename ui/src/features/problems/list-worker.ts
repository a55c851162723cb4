// The thread of the list of problems: see lists.ts. Messages and questions are handled in order.

import { type ListRequest, ProblemLists } from "./lists";

export type ListReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

const lists = new ProblemLists();

/** Buffers that change threads with the answer. */
function buffersOf(result: unknown): ArrayBuffer[] {
  if (result instanceof Float64Array) return [result.buffer as ArrayBuffer];
  if (typeof result !== "object" || result === null) return [];
  return Object.values(result)
    .filter((it) => it instanceof Float64Array)
    .map((it) => it.buffer as ArrayBuffer);
}

self.onmessage = ({ data }: MessageEvent<ListRequest>) => {
  // a message has no answer; when it fails, the next question does as well
  const post = (reply: ListReply, buffers: ArrayBuffer[] = []) =>
    self.postMessage(reply, { transfer: buffers });
  if (!("id" in data)) {
    lists.handle(data);
    return;
  }
  try {
    const result = lists.handle(data);
    post({ id: data.id, result }, buffersOf(result));
  } catch (error) {
    post({ id: data.id, error: error instanceof Error ? error.message : String(error) });
  }
};
