import { beforeEach, describe, expect, it, vi } from "vitest";
import { ColumnError } from "@/lib/columns";
import { decodeLatest } from "./latest-columns";
import { LatestStore } from "./latest-store";
import { buffersOf, LineDecoder } from "./problem-lines";
import type { LoadProblems, ProblemsSink } from "./problem-load";
import { ProblemStore } from "./problem-store";
import { ProblemTable } from "./problem-table";
import { type SocketLike, Stream } from "./stream";

class FakeSocket implements SocketLike {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly sent: unknown[] = [];
  closed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.closed = true;
  }

  receive(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const sockets: FakeSocket[] = [];
const connect = () => {
  const socket = new FakeSocket();
  sockets.push(socket);
  return socket;
};
const newest = () => {
  const socket = sockets.at(-1);
  if (socket === undefined) throw new Error("a socket was opened");
  return socket;
};

beforeEach(() => {
  sockets.length = 0;
  vi.useFakeTimers();
});

describe("the stream", () => {
  it("tells the server what all views want together", async () => {
    const stream = new Stream(connect);
    stream.start();
    stream.want({ problems: true });
    const stop = stream.want({ latest: ["1", "2"] });
    stream.want({ latest: ["2", "3"] });
    newest().onopen?.();
    expect(newest().sent).toEqual([
      {
        subscribe: {
          problems: true,
          availability: false,
          counts: false,
          overview: false,
          latest: { itemids: ["1", "2", "3"] },
          opdata: { eventids: [] },
        },
      },
    ]);
    stop();
    await vi.advanceTimersByTimeAsync(100);
    expect(newest().sent.at(-1)).toMatchObject({ subscribe: { latest: { itemids: ["2", "3"] } } });
    stream.stop();
  });

  it("connects again with growing pauses and announces it", async () => {
    const stream = new Stream(connect);
    const opened = vi.fn();
    stream.onOpen(opened);
    stream.start();
    newest().onopen?.();
    expect(stream.state).toBe("live");
    newest().onclose?.();
    expect(stream.state).toBe("offline");
    await vi.advanceTimersByTimeAsync(600);
    expect(sockets).toHaveLength(2);
    newest().onclose?.();
    await vi.advanceTimersByTimeAsync(400);
    expect(sockets).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(700);
    expect(sockets).toHaveLength(3);
    newest().onopen?.();
    expect(opened).toHaveBeenCalledTimes(2);
    stream.stop();
    expect(newest().closed).toBe(true);
  });

  it("survives messages that it does not understand", () => {
    const stream = new Stream(connect);
    const listener = vi.fn();
    stream.onMessage(listener);
    stream.start();
    newest().onmessage?.({ data: "{" });
    newest().onmessage?.({ data: new ArrayBuffer(1) });
    newest().receive([1]);
    newest().receive({ type: "later" });
    expect(listener).toHaveBeenCalledTimes(1);
    stream.stop();
  });
});

/** A line of a snapshot, its dictionary new. */
function rows(ids: readonly number[]) {
  const differences = ids.map((id, at) => id - (ids[at - 1] ?? 0));
  const zeros = ids.map(() => 0);
  const column = (entry: unknown) => ({ new: [entry], idx: zeros });
  return new LineDecoder().decode({
    eventid: differences,
    objectid: zeros,
    clock: zeros,
    r_clock: zeros,
    cause: zeros,
    severity: zeros,
    flags: zeros,
    host: column(["10", "web"]),
    name: column("x"),
    opdata: column(""),
    tags: column([]),
  });
}

/** Snapshots that are sent when the test says so. */
class Snapshots {
  readonly asked: { sink: ProblemsSink; done: () => void; fail: (error: Error) => void }[] = [];

  readonly load: LoadProblems = (_first, sink) =>
    new Promise((done, fail) => this.asked.push({ sink, done, fail }));

  newest() {
    const newest = this.asked.at(-1);
    if (newest === undefined) throw new Error("a snapshot was asked for");
    return newest;
  }

  async deliver(version: number, ids: readonly number[]): Promise<void> {
    const { sink, done } = this.newest();
    sink.head({ version, total: ids.length });
    sink.rows(rows(ids));
    done();
    await vi.advanceTimersByTimeAsync(0);
  }
}

function idsOf(store: ProblemStore): string[] {
  const view = store.getView();
  if (view.state !== "ready") throw new Error(`problems are ${view.state}`);
  const { table } = view;
  return Array.from({ length: table.size }, (_, at) => table.id(at) ?? "").sort();
}

describe("the problem store", () => {
  it("applies deltas that came while the snapshot was on its way, and no older ones", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    const stop = store.use();
    newest().receive({ type: "problems", version: 4, upsert: [{ eventid: 1, name: "old" }] });
    newest().receive({
      type: "problems",
      version: 6,
      upsert: [{ eventid: 3, name: "new" }],
      remove: [2],
    });
    await snapshots.deliver(5, [1, 2]);
    const view = store.getView();
    expect(view.state).toBe("ready");
    if (view.state !== "ready") return;
    expect(view.table.byId("1")?.name).toBe("x");
    expect(view.table.byId("2")).toBeUndefined();
    expect(view.table.byId("3")?.name).toBe("new");
    stop();
    stream.stop();
  });

  it("follows the operational data of the problems on the screen", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    newest().onopen?.();
    const stop = store.use();
    const unfollow = store.follow(["2", "1"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(newest().sent.at(-1)).toMatchObject({
      subscribe: { opdata: { eventids: ["2", "1"] } },
    });
    // published while the snapshot is loading, for a missing problem, and junk
    newest().receive({ type: "opdata", values: [["2", "now 5"], ["9", "gone"], "junk", [1]] });
    await snapshots.deliver(5, [1, 2]);
    const opdata = (id: string) => {
      const view = store.getView();
      return view.state === "ready" ? view.table.byId(id)?.opdata : undefined;
    };
    expect([opdata("1"), opdata("2"), opdata("9")]).toEqual(["", "now 5", undefined]);
    const view = store.getView();
    newest().receive({ type: "opdata", values: [["1", "now 6"]] });
    await vi.advanceTimersByTimeAsync(300);
    expect(opdata("1")).toBe("now 6");
    expect(store.getView(), "readers are notified").not.toBe(view);
    unfollow();
    await vi.advanceTimersByTimeAsync(100);
    expect(newest().sent.at(-1)).toMatchObject({ subscribe: { opdata: { eventids: [] } } });
    stop();
    stream.stop();
  });

  it("shows the first rows while the others are on their way", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    const stop = store.use({ hostids: ["10"], severities: [], bySeverity: false });
    const { sink, done } = snapshots.newest();
    sink.head({ version: 5, total: 4 });
    expect(store.getView().state).toBe("loading");
    sink.rows(rows([9, 8]));
    expect(store.getView()).toMatchObject({ state: "ready", loading: 4 });
    expect(idsOf(store)).toEqual(["8", "9"]);
    sink.rows(rows([7, 6]));
    done();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.getView()).toMatchObject({ state: "ready", loading: undefined });
    expect(idsOf(store)).toEqual(["6", "7", "8", "9"]);
    // a later snapshot takes its place when it is whole
    store.refresh();
    snapshots.newest().sink.head({ version: 6, total: 2 });
    snapshots.newest().sink.rows(rows([9]));
    expect(idsOf(store)).toHaveLength(4);
    snapshots.newest().sink.rows(rows([5]));
    snapshots.newest().done();
    await vi.advanceTimersByTimeAsync(0);
    expect(idsOf(store)).toEqual(["5", "9"]);
    stop();
  });

  it("takes no snapshot that was cut off, and none that nobody waits for", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    const stop = store.use();
    const { sink, done } = snapshots.newest();
    sink.head({ version: 5, total: 3 });
    sink.rows(rows([9, 8]));
    done();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.getView()).toMatchObject({ state: "ready", loading: 3 });
    await vi.advanceTimersByTimeAsync(3500);
    expect(snapshots.asked).toHaveLength(2);
    stop();
    await snapshots.deliver(6, [1]);
    expect(store.getView().state).toBe("loading");
  });

  it("fetches again after a connection was lost, and tells readers in batches", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    const stop = store.use();
    const heard = vi.fn();
    store.subscribe(heard);
    newest().onopen?.();
    await snapshots.deliver(1, [1]);
    newest().onclose?.();
    await vi.advanceTimersByTimeAsync(600);
    newest().onopen?.();
    expect(snapshots.asked).toHaveLength(2);
    await snapshots.deliver(1, [1]);
    heard.mockClear();
    for (let version = 2; version < 50; version += 1) {
      newest().receive({ type: "problems", version, upsert: [{ eventid: version }] });
    }
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(250);
    expect(heard).toHaveBeenCalledTimes(1);
    stop();
    stream.stop();
  });

  it("loads once where the stream opens while the snapshot is on its way, or behind it", async () => {
    for (const opensFirst of [true, false]) {
      const stream = new Stream(connect);
      const snapshots = new Snapshots();
      const store = new ProblemStore(stream, snapshots.load);
      const stop = store.use();
      stream.start();
      if (opensFirst) newest().onopen?.();
      await snapshots.deliver(5, [1, 2]);
      if (!opensFirst) newest().onopen?.();
      // what came in between is asked for
      newest().receive({ type: "problems", since: 8, version: 8, upsert: [], remove: [] });
      expect(newest().sent).toContainEqual({ catch_up: { problems: 5 } });
      newest().receive({ type: "problems", since: 5, version: 8, upsert: [{ eventid: 3 }] });
      expect(idsOf(store)).toEqual(["1", "2", "3"]);
      expect(snapshots.asked).toHaveLength(1);
      stop();
      stream.stop();
    }
  });

  it("loads anew where the connection was lost while the snapshot was on its way", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    newest().onopen?.();
    const stop = store.use();
    newest().onclose?.();
    await vi.advanceTimersByTimeAsync(600);
    newest().onopen?.();
    await snapshots.deliver(5, [1]);
    // the server may be another one, which counts versions from the start
    expect(snapshots.asked).toHaveLength(2);
    stop();
    stream.stop();
  });

  it("asks again and again while there is no stream, and not while there is one", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    const stop = store.use();
    await snapshots.deliver(1, [1]);
    for (const n of [2, 3]) {
      await vi.advanceTimersByTimeAsync(15_000);
      expect(snapshots.asked).toHaveLength(n);
      await snapshots.deliver(1, [1]);
    }
    stream.start();
    newest().onopen?.();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(snapshots.asked).toHaveLength(3);
    stop();
    stream.stop();
  });

  it("asks for what happened between its snapshot and the subscription", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    newest().onopen?.();
    const stop = store.use();
    await snapshots.deliver(5, [1, 2]);
    const receive = (message: Record<string, unknown>) =>
      newest().receive({ type: "problems", upsert: [], remove: [], ...message });
    const asked = () => newest().sent.filter((it) => Object.hasOwn(it as object, "catch_up"));
    receive({ since: 8, version: 8 });
    receive({ since: 8, version: 9, upsert: [{ eventid: 4 }] });
    expect(asked()).toEqual([{ catch_up: { problems: 5 } }]);
    receive({ since: 5, version: 9, upsert: [{ eventid: 3 }, { eventid: 4 }], remove: ["1"] });
    receive({ since: 9, version: 10, upsert: [{ eventid: 5 }] });
    expect(idsOf(store)).toEqual(["2", "3", "4", "5"]);
    expect(asked()).toHaveLength(1);
    stop();
    stream.stop();
  });

  it("fetches anew when the server says so, also while it fetches", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    stream.start();
    const stop = store.use();
    newest().receive({ type: "problems", resync: true, version: 7 });
    await snapshots.deliver(6, [1]);
    expect(snapshots.asked).toHaveLength(2);
    await snapshots.deliver(8, [2]);
    expect(idsOf(store)).toEqual(["2"]);
    stop();
    stream.stop();
  });

  it("keeps what it shows when a refresh fails", async () => {
    const stream = new Stream(connect);
    const snapshots = new Snapshots();
    const store = new ProblemStore(stream, snapshots.load);
    const stop = store.use();
    await snapshots.deliver(1, [1]);
    store.refresh();
    snapshots.newest().fail(new Error("down"));
    await vi.advanceTimersByTimeAsync(0);
    expect(store.getView().state).toBe("ready");
    await vi.advanceTimersByTimeAsync(3500);
    expect(snapshots.asked).toHaveLength(3);
    stop();
  });
});

describe("lines of a snapshot", () => {
  const line = {
    eventid: [900, -1],
    objectid: [70, 5],
    clock: [1000, -10],
    r_clock: [0, 1200],
    cause: [0, 900],
    severity: [5, 9],
    flags: [1, 6],
    host: { new: [["10", "web"]], idx: [0, 0] },
    name: { new: ["Down", "Slow"], idx: [0, 1] },
    opdata: { new: [""], idx: [0, 0] },
    tags: { new: [[["site", "fra"]]], idx: [0, 0] },
  };

  it("become rows, dictionaries going on from line to line", () => {
    const decoder = new LineDecoder();
    const table = new ProblemTable();
    table.append(decoder.decode(line));
    const more = { ...line, eventid: [7, 1], host: { new: [["11", "db"]], idx: [1, 0] } };
    const old = { new: [], idx: [1, 0] };
    table.append(
      decoder.decode({
        ...more,
        name: old,
        opdata: { new: [], idx: [0, 0] },
        tags: { new: [], idx: [0, 0] },
      }),
    );
    expect(table.row(0)).toEqual({
      eventid: "900",
      objectid: "70",
      clock: 1000,
      severity: 5,
      name: "Down",
      hostid: "10",
      host: "web",
      acknowledged: true,
      suppressed: false,
      flapping: false,
      rClock: 0,
      opdata: "",
      tags: [["site", "fra"]],
      manualClose: false,
      cause: "0",
    });
    expect(table.row(1)).toMatchObject({
      eventid: "899",
      cause: "900",
      objectid: "75",
      clock: 990,
      severity: 0,
    });
    expect(table.row(1)).toMatchObject({ rClock: 1200, suppressed: true, manualClose: true });
    expect(table.row(2)).toMatchObject({ eventid: "7", host: "db", name: "Slow" });
    expect(table.byId("8")).toMatchObject({ host: "web", name: "Down" });
  });

  it.each([
    ["a column is too short", { ...line, clock: [1] }],
    ["a column is missing", { ...line, flags: undefined }],
    ["a row points past its dictionary", { ...line, name: { new: ["Down"], idx: [0, 1] } }],
    ["there are no rows", "junk"],
  ])("are refused where %s", (_, broken) => {
    expect(() => new LineDecoder().decode(broken)).toThrow(ColumnError);
  });

  it("change threads without being copied", () => {
    const decoded = new LineDecoder().decode(line);
    const moved = structuredClone(decoded, { transfer: buffersOf(decoded) });
    expect(decoded.eventid.length).toBe(0);
    expect([...moved.eventid]).toEqual([900, 899]);
  });
});

describe("latest values", () => {
  const answer = {
    items: {
      itemid: [1, 2],
      hostid: [10, 10],
      host: { dict: ["web01"], idx: [0, 0] },
      name: ["Ping", "Load"],
      key: ["icmpping", "load"],
      value_type: [3, 0],
      text: ["Up", ""],
      lastclock: [100, 100],
      lastvalue: ["1", "0.5"],
      prevvalue: ["1", "0.4"],
      state: [0, 0],
      error: ["", ""],
      tags: [[["component", "health"]], []],
    },
  };

  it("are decoded from columns", () => {
    const rows = decodeLatest(answer);
    expect(rows[0]).toMatchObject({ itemid: "1", host: "web01", tags: [["component", "health"]] });
    expect(rows[1]?.live).toMatchObject({ value: "0.5", previous: "0.4" });
    expect(() => decodeLatest({})).toThrow("latest data has no items");
  });

  it("tell only the readers of the item, and keep names of mapped values", () => {
    const stream = new Stream(connect);
    const store = new LatestStore(stream);
    store.load(decodeLatest(answer));
    const [ping, load] = [vi.fn(), vi.fn()];
    store.subscribe("1", ping);
    store.subscribe("2", load);
    stream.start();
    newest().receive({ type: "latest", values: [["1", 130, "1", "1", 0], "junk"] });
    expect(ping).toHaveBeenCalledTimes(1);
    expect(load).not.toHaveBeenCalled();
    expect(store.get("1")).toMatchObject({ clock: 130, text: "Up" });
    newest().receive({ type: "latest", values: [["1", 160, "7", "1", 0]] });
    expect(store.get("1")?.text).toBe("");
    stream.stop();
  });

  it("bring the note of a supported item, and take it away", () => {
    const stream = new Stream(connect);
    const store = new LatestStore(stream);
    store.load(decodeLatest(answer));
    stream.start();
    const receive = (clock: number, error: string) =>
      newest().receive({ type: "latest", values: [["2", clock, "0.5", "0.4", 0, error, ""]] });
    receive(100, "A value was refused.");
    expect(store.get("2")).toMatchObject({ state: 0, error: "A value was refused." });
    receive(200, "");
    expect(store.get("2")?.error).toBe("");
    stream.stop();
  });

  it("are not overwritten by an older snapshot", () => {
    const stream = new Stream(connect);
    const store = new LatestStore(stream);
    stream.start();
    newest().receive({ type: "latest", values: [["2", 500, "9", "8", 0]] });
    store.load(decodeLatest(answer));
    expect(store.get("2")?.value).toBe("9");
    stream.stop();
  });
});
