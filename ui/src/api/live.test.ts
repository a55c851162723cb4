import { beforeEach, describe, expect, it, vi } from "vitest";
import { decodeLatest } from "./latest-columns";
import { LatestStore } from "./latest-store";
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
          counts: false,
          overview: false,
          latest: { itemids: ["1", "2", "3"] },
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

function snapshot(version: number, ids: number[]): ProblemTable {
  return ProblemTable.decode({
    version,
    columns: {
      eventid: ids,
      name: { dict: ["x"], idx: ids.map(() => 0) },
    },
  });
}

describe("the problem store", () => {
  it("applies deltas that came while the snapshot was on its way, and no older ones", async () => {
    const stream = new Stream(connect);
    let deliver: (table: ProblemTable) => void = () => {};
    const store = new ProblemStore(stream, () => new Promise((done) => (deliver = done)));
    stream.start();
    const stop = store.use();
    newest().receive({ type: "problems", version: 4, upsert: [{ eventid: 1, name: "old" }] });
    newest().receive({
      type: "problems",
      version: 6,
      upsert: [{ eventid: 3, name: "new" }],
      remove: [2],
    });
    deliver(snapshot(5, [1, 2]));
    await vi.advanceTimersByTimeAsync(0);
    const view = store.getView();
    expect(view.state).toBe("ready");
    if (view.state !== "ready") return;
    expect(view.table.byId("1")?.name).toBe("x");
    expect(view.table.byId("2")).toBeUndefined();
    expect(view.table.byId("3")?.name).toBe("new");
    stop();
    stream.stop();
  });

  it("fetches again after a connection was lost, and tells readers in batches", async () => {
    const stream = new Stream(connect);
    const load = vi.fn(async () => snapshot(1, [1]));
    const store = new ProblemStore(stream, load);
    stream.start();
    const stop = store.use();
    const heard = vi.fn();
    store.subscribe(heard);
    await vi.advanceTimersByTimeAsync(0);
    newest().onopen?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(load).toHaveBeenCalledTimes(2);
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

  it("asks again and again while there is no stream, and not while there is one", async () => {
    const stream = new Stream(connect);
    const load = vi.fn(async () => snapshot(1, [1]));
    const store = new ProblemStore(stream, load);
    const stop = store.use();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(load).toHaveBeenCalledTimes(3);
    stream.start();
    newest().onopen?.();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(load).toHaveBeenCalledTimes(4);
    stop();
    stream.stop();
  });

  it("asks for what happened between its snapshot and the subscription", async () => {
    const stream = new Stream(connect);
    const store = new ProblemStore(stream, async () => snapshot(5, [1, 2]));
    stream.start();
    const stop = store.use();
    await vi.advanceTimersByTimeAsync(0);
    newest().onopen?.();
    await vi.advanceTimersByTimeAsync(0);
    const told = (message: Record<string, unknown>) =>
      newest().receive({ type: "problems", upsert: [], remove: [], ...message });
    const asked = () => newest().sent.filter((it) => Object.hasOwn(it as object, "catch_up"));
    told({ since: 8, version: 8 });
    told({ since: 8, version: 9, upsert: [{ eventid: 4 }] });
    expect(asked()).toEqual([{ catch_up: { problems: 5 } }]);
    told({ since: 5, version: 9, upsert: [{ eventid: 3 }, { eventid: 4 }], remove: ["1"] });
    told({ since: 9, version: 10, upsert: [{ eventid: 5 }] });
    const view = store.getView();
    expect(view.state === "ready" ? [...view.table.eventid].sort() : []).toEqual([
      "2",
      "3",
      "4",
      "5",
    ]);
    expect(asked()).toHaveLength(1);
    stop();
    stream.stop();
  });

  it("fetches anew when the server says so, also while it fetches", async () => {
    const stream = new Stream(connect);
    const deliver: ((table: ProblemTable) => void)[] = [];
    const store = new ProblemStore(stream, () => new Promise((done) => deliver.push(done)));
    stream.start();
    const stop = store.use();
    newest().receive({ type: "problems", resync: true, version: 7 });
    deliver[0]?.(snapshot(6, [1]));
    await vi.advanceTimersByTimeAsync(0);
    expect(deliver).toHaveLength(2);
    deliver[1]?.(snapshot(8, [2]));
    await vi.advanceTimersByTimeAsync(0);
    const view = store.getView();
    expect(view.state === "ready" ? view.table.eventid : []).toEqual(["2"]);
    stop();
    stream.stop();
  });

  it("keeps what it shows when a refresh fails", async () => {
    const stream = new Stream(connect);
    const load = vi.fn(async () => snapshot(1, [1]));
    const store = new ProblemStore(stream, load);
    const stop = store.use();
    await vi.advanceTimersByTimeAsync(0);
    load.mockRejectedValueOnce(new Error("down"));
    store.refresh();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.getView().state).toBe("ready");
    await vi.advanceTimersByTimeAsync(3500);
    expect(load).toHaveBeenCalledTimes(3);
    stop();
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
    const told = (clock: number, error: string) =>
      newest().receive({ type: "latest", values: [["2", clock, "0.5", "0.4", 0, error, ""]] });
    told(100, "A value was refused.");
    expect(store.get("2")).toMatchObject({ state: 0, error: "A value was refused." });
    told(200, "");
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
