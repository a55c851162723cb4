import { describe, expect, it } from "vitest";
import type { Worker } from "@/api/workers";
import { byNeed, workerState } from "./worker-state";

const WORKER: Worker = {
  name: "ranks",
  job: "ranks problems by the parents of their hosts",
  woken_by: "changes of the configuration",
  thread: "timers",
  turns: 7,
  last_turn: 1_000,
  failures: 0,
  put_aside: 0,
  failing: null,
};

const FAILING = { since: 900, message: "the database is away" };

describe("the state of a worker", () => {
  it("is that it fails, left rows out, or works", () => {
    expect(workerState(WORKER)).toEqual({ tone: "ok", text: "working" });
    expect(workerState({ ...WORKER, put_aside: 1 }).text).toBe("rows quarantined");
    expect(workerState({ ...WORKER, put_aside: 1, failing: FAILING }).tone).toBe("bad");
  });

  it("decides the order: those that need somebody come first", () => {
    const workers = [
      WORKER,
      { ...WORKER, name: "correlation" },
      { ...WORKER, name: "services", put_aside: 2 },
      { ...WORKER, name: "vault", failing: FAILING },
    ];
    const names = byNeed(workers).map((it) => it.name);
    expect(names).toEqual(["vault", "services", "correlation", "ranks"]);
  });
});
