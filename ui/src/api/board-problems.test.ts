import { afterEach, expect, test, vi } from "vitest";
import { fetchBoardProblems, type ProblemsQuery } from "./widgets";

interface Row {
  readonly eventid: string;
  readonly cause?: string;
  readonly suppressed?: boolean;
}

interface Params {
  readonly symptom?: boolean;
  readonly suppressed?: boolean;
  readonly eventids?: readonly string[];
  readonly limit?: number;
}

/** A server whose problem.get answers as the API does; what it has is what the user may see. */
function serve(rows: readonly Row[]): void {
  const newestFirst = [...rows].sort((a, b) => Number(b.eventid) - Number(a.eventid));
  const problems = ({ symptom, suppressed, eventids, limit }: Params) =>
    newestFirst
      .filter((it) => symptom === undefined || symptom === (it.cause !== undefined))
      .filter((it) => suppressed === undefined || suppressed === (it.suppressed ?? false))
      .filter((it) => eventids === undefined || eventids.includes(it.eventid))
      .slice(0, limit)
      .map(({ eventid, cause = "0", suppressed: isSuppressed = false }) => ({
        eventid,
        objectid: "7",
        name: `problem ${eventid}`,
        severity: "3",
        acknowledged: "0",
        suppressed: isSuppressed ? "1" : "0",
        opdata: "",
        clock: "100",
        r_clock: "0",
        cause_eventid: cause,
        tags: [],
      }));
  const fetch = async (_: unknown, init: { readonly body: string }) => {
    const { method, params, id } = JSON.parse(init.body);
    const result = method === "problem.get" ? problems(params) : [];
    return new Response(JSON.stringify({ jsonrpc: "2.0", result, id }), {
      headers: { "content-type": "application/json" },
    });
  };
  vi.stubGlobal("fetch", vi.fn(fetch));
}

async function shown(rows: readonly Row[], query: Partial<ProblemsQuery> = {}): Promise<string[]> {
  serve(rows);
  return (await fetchBoardProblems({ limit: 10, ...query })).map((it) => it.eventid);
}

afterEach(() => vi.unstubAllGlobals());

test("symptoms do not count beside their cause", async () => {
  const rows = [{ eventid: "1" }, { eventid: "2", cause: "1" }, { eventid: "3" }];
  expect(await shown(rows)).toEqual(["3", "1"]);
  expect(await shown(rows, { symptoms: true })).toEqual(["3", "2", "1"]);
});

test("a symptom whose cause the user does not see, or that is resolved, stands for itself", async () => {
  const rows = [{ eventid: "3" }, { eventid: "4", cause: "1" }, { eventid: "2", cause: "1" }];
  expect(await shown(rows)).toEqual(["4", "3", "2"]);
  expect(await shown(rows, { limit: 2 })).toEqual(["4", "3"]);
});

test("a symptom of a suppressed cause stands for itself where suppressed problems are hidden", async () => {
  const rows = [
    { eventid: "1", suppressed: true },
    { eventid: "2", cause: "1" },
  ];
  expect(await shown(rows)).toEqual(["2"]);
  expect(await shown(rows, { suppressed: true })).toEqual(["1"]);
});
