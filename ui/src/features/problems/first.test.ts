import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { firstAt, loadEarly, loadProblems, NEWEST_FIRST } from "@/api/problem-load";
import { firstShown, readFilter } from "./filter";

it("what is asked for before the page is there is what the page asks for", () => {
  const check = (search: string) => {
    const filter = readFilter(Object.fromEntries(new URLSearchParams(search)));
    expect(firstAt("/problems", search)).toEqual(firstShown(filter, undefined));
    expect(firstAt("/hosts/10084/problems", search)).toEqual(firstShown(filter, "10084"));
  };
  check("");
  check("?sev=5,4&q=disk");
  check("?sev=4,9,4,x&hosts=10084,10085");
  check("?sort=-severity");
  check("?sort=severity&sev=0");
  check("?sort=-time&hosts=");
});

it("other pages ask for nothing", () => {
  for (const path of ["/", "/problemsx", "/hosts/1", "/hosts/x/problems", "/events/5"]) {
    expect(firstAt(path, "")).toBeUndefined();
  }
});

class FakeWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onerror: (() => void) | null = null;
  readonly asked: unknown[] = [];
  ended = false;
  postMessage(asked: { readonly path: string; readonly first: boolean } | "goOn"): void {
    if (asked === "goOn") this.asked.push(asked);
    else this.asked.push(`${asked.first ? "first of " : ""}${asked.path}`);
  }
  terminate(): void {
    this.ended = true;
  }
  post(data: unknown): void {
    this.onmessage?.({ data });
  }
}

let workers: FakeWorker[] = [];

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
  vi.stubGlobal(
    "Worker",
    class extends FakeWorker {
      constructor() {
        super();
        workers.push(this);
      }
    },
  );
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function load(first = NEWEST_FIRST) {
  const sink = { head: vi.fn(), rows: vi.fn() };
  return { sink, ended: loadProblems(first, sink, new AbortController().signal) };
}

it("a page that comes later takes over earlier messages, and receives the rest", async () => {
  loadEarly(NEWEST_FIRST);
  workers[0]?.post({ type: "head", head: 1 });
  const { sink, ended } = load();
  expect(sink.head).toHaveBeenCalledExactlyOnceWith(1);
  workers[0]?.post({ type: "rows", rows: 2 });
  expect(sink.rows).toHaveBeenCalledExactlyOnceWith(2);
  workers[0]?.post({ type: "done" });
  await ended;
  expect(workers.map((it) => [it.asked, it.ended])).toEqual([
    [["first of /api/v1/problems", "goOn"], true],
  ]);
  // once: the next one asks again
  void load();
  expect(workers[1]?.asked).toEqual(["/api/v1/problems"]);
});

it("what failed, is of another page or was not wanted for long is requested again", () => {
  loadEarly(NEWEST_FIRST);
  workers[0]?.post({ type: "failed", kind: "session", message: "", detail: "" });
  void load();
  expect(workers[1]?.asked).toEqual(["/api/v1/problems"]);
  loadEarly(NEWEST_FIRST);
  void load({ ...NEWEST_FIRST, bySeverity: true });
  expect(workers[3]?.asked).toEqual(["/api/v1/problems?sort=severity"]);
  loadEarly(NEWEST_FIRST);
  vi.advanceTimersByTime(60_000);
  void load();
  expect(workers[5]?.asked).toEqual(["/api/v1/problems"]);
  expect(workers.map((it) => it.ended)).toEqual([true, false, true, false, true, false]);
});
