import { beforeEach, describe, expect, it, vi } from "vitest";
import { decodeOverview } from "./native";
import { nextOverview } from "./overview-live";
import { ProblemCountStore } from "./problem-counts";
import { Stream, type StreamMessage } from "./stream";

beforeEach(() => {
  vi.useFakeTimers();
});

const system = { version: "1", state: "running", uptime_s: 5, hosts_total: 3, memory_bytes: 9 };
const whole = {
  type: "overview",
  system,
  problems_by_severity: [{ severity: 4, total: 2, acknowledged: 1 }],
  worst_problems: [{ eventid: "7", name: "down", host: "web", r_clock: 0, manual_close: true }],
  nvps: { t: [10, 15, 20], v: [1, 2, 3] },
};

describe("the overview of the stream", () => {
  it("begins whole and goes on by what is different", () => {
    const first = nextOverview(undefined, whole);
    expect(first).toEqual(decodeOverview(whole));
    expect(first?.worst_problems[0]).toMatchObject({ eventid: "7", manualClose: true });
    const changed = {
      system: { memory_bytes: 12 },
      nvps: { from: 15, t: [25], v: [4] },
    };
    const next = nextOverview(first, { type: "overview", changed });
    expect(next?.system).toMatchObject({ hosts_total: 3, memory_bytes: 12 });
    expect(next?.nvps).toEqual({ t: [15, 20, 25], v: [2, 3, 4] });
    expect(next?.worst_problems).toEqual(first?.worst_problems);
    const withoutProblems = { problems_by_severity: [], worst_problems: [] };
    const last = nextOverview(next, { type: "overview", changed: withoutProblems });
    expect(last).toMatchObject({ ...withoutProblems, nvps: { t: [15, 20, 25] } });
  });

  it("tells nothing by differences from what is not known", () => {
    const message: StreamMessage = { type: "overview", changed: { system: { hosts_total: 1 } } };
    expect(nextOverview(undefined, message)).toBeUndefined();
  });
});

describe("counts of problems", () => {
  const counts = [{ severity: 4, total: 2, acknowledged: 0 }];

  it("come from the stream", () => {
    const sent: string[] = [];
    const socket = {
      onopen: null as (() => void) | null,
      onclose: null,
      onmessage: null as ((event: { data: unknown }) => void) | null,
      send: (text: string) => sent.push(text),
      close: () => {},
    };
    const stream = new Stream(() => socket);
    const store = new ProblemCountStore(stream, async () => []);
    const stop = store.use();
    stream.start();
    socket.onopen?.();
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({
      subscribe: { counts: true, problems: false },
    });
    expect(store.getCounts()).toBeUndefined();
    const heard = vi.fn();
    store.subscribe(heard);
    const data = JSON.stringify({ type: "counts", problems_by_severity: counts });
    socket.onmessage?.({ data });
    expect(store.getCounts()).toEqual(counts);
    socket.onmessage?.({ data: JSON.stringify({ type: "counts", problems_by_severity: "x" }) });
    expect(heard).toHaveBeenCalledTimes(1);
    stop();
    stream.stop();
  });

  it("are asked for while there is no stream", async () => {
    const stream = new Stream(() => {
      throw new Error("not started");
    });
    const load = vi.fn(async () => counts);
    const store = new ProblemCountStore(stream, load);
    const stop = store.use();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(load).toHaveBeenCalledTimes(2);
    expect(store.getCounts()).toEqual(counts);
    stop();
  });
});
