import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OwnerKind } from "@/lib/owner";
import { Trial } from "./trial";
import { fieldsOfTrigger } from "./trigger-fields";

const EXPRESSION = "last(/web01/load)>5";
const FIELDS = { ...fieldsOfTrigger(undefined), name: "High load", expression: EXPRESSION };

type Answer = (path: string, body: Record<string, unknown>, signal: AbortSignal) => unknown;

function serve(answer: Answer): void {
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as Record<string, unknown>;
    const rpc = { jsonrpc: "2.0", id: 1, result: [] };
    const signal = init.signal ?? new AbortController().signal;
    const said = path.startsWith("/api_jsonrpc") ? rpc : await answer(path, body, signal);
    return said instanceof Response ? said : new Response(JSON.stringify(said));
  });
}

function open(fields = FIELDS, kind: OwnerKind = "host") {
  const onIncomplete = vi.fn();
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <Trial
          owner={{ kind, id: "10" }}
          triggerid={undefined}
          fields={fields}
          onIncomplete={onIncomplete}
        />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), onIncomplete };
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const FUNCTION = { text: "last(/web01/load)", value: "7", error: null };

describe("evaluating now", () => {
  it("shows the verdict, the functions with their values, and the other parts", async () => {
    const sent: unknown[] = [];
    serve((path, body) => {
      sent.push([path, body]);
      return {
        clock: 1000,
        expression: {
          text: EXPRESSION,
          value: "1",
          error: null,
          is_true: true,
          parts: [FUNCTION, { text: "{$MAX}", value: "5", error: null }],
        },
        recovery_expression: null,
        functions: [
          { ...FUNCTION, name: "Load", n_values: 1, values: [{ clock: 990, value: "7" }] },
        ],
      };
    });
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Evaluate now" }));
    await screen.findByText("Expression: true");
    const functions = screen.getByRole("table", { name: "Functions" });
    // in colours: each part by itself
    expect(functions.textContent).toContain("last(/web01/load)");
    expect(within(functions).getByText("Load")).toBeTruthy();
    const parts = screen.getByRole("table", { name: "Parts of the expression" });
    expect(within(parts).getAllByRole("row")).toHaveLength(2);
    expect(sent).toEqual([
      [
        "/api/v1/test/expression",
        { hostid: "10", expression: EXPRESSION, recovery_expression: "" },
      ],
    ]);
  });

  it("says why there is no value", async () => {
    const error = "Cannot evaluate function last(/web01/load): not enough data.";
    serve(() => ({
      clock: 1000,
      expression: { text: EXPRESSION, value: null, error, is_true: null, parts: [] },
      recovery_expression: null,
      functions: [],
    }));
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Evaluate now" }));
    await screen.findByText("Expression: unknown");
    expect(screen.getByText(error)).toBeTruthy();
  });

  it("asks for a complete expression first, and for a host", async () => {
    const { user, onIncomplete } = open({ ...FIELDS, expression: "last(/a/b" });
    await user.click(screen.getByRole("button", { name: "Evaluate now" }));
    expect(onIncomplete).toHaveBeenCalledOnce();
    cleanup();
    open(FIELDS, "template");
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.getByText(/A template has no values/)).toBeTruthy();
  });
});

describe("a backtest", () => {
  const report = (from: number, to: number) => ({
    from,
    to,
    problems: [
      { from: from + 60, to: from + 120, recovered: true, functions: [] },
      {
        from: to - 60,
        to,
        recovered: false,
        functions: [
          {
            host: "web01",
            key_: "load",
            function: "last",
            parameters: "",
            value: "7",
            error: null,
          },
        ],
      },
    ],
    unknown: [],
    values: 1234,
    evaluations: 1300,
    ended_early: null,
  });

  it("lists the problems of the chosen period, newest first", async () => {
    const sent: Record<string, unknown>[] = [];
    serve((_, body) => {
      sent.push(body);
      return { report: report(Number(body["from"]), Number(body["to"])) };
    });
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Backtest" }));
    await user.click(await screen.findByRole("radio", { name: "6h" }));
    await user.click(screen.getByRole("button", { name: "Run backtest" }));
    const table = await screen.findByRole("table", { name: "Problems in the period" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first?.textContent).toContain("open1m");
    expect(first?.textContent).toContain("last(/web01/load) = 7");
    expect(second?.textContent).toContain("1m");
    expect(screen.getByText("2 problems")).toBeTruthy();
    expect(screen.getByText("1,234 values, 1,300 evaluations")).toBeTruthy();
    expect(sent[0]).toMatchObject({
      hostid: "10",
      expression: EXPRESSION,
      recovery_mode: 0,
      correlation_mode: 0,
      tags: [],
    });
    expect(Number(sent[0]?.["to"]) - Number(sent[0]?.["from"])).toBe(6 * 3600);
  });

  it("says how far it is, and can be cancelled", async () => {
    let aborted = false;
    let send: (line: string) => void = () => {};
    serve((_, __, signal) => {
      const lines = new ReadableStream<Uint8Array>({
        start(controller) {
          send = (line) => controller.enqueue(new TextEncoder().encode(line));
          signal.addEventListener("abort", () => {
            aborted = true;
            controller.error(signal.reason);
          });
        },
      });
      return new Response(lines, { headers: { "content-type": "application/x-ndjson" } });
    });
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Backtest" }));
    await user.click(await screen.findByRole("button", { name: "Run backtest" }));
    const bar = await screen.findByRole("progressbar", { name: "Backtest runs" });
    expect(bar.getAttribute("value")).toBeNull();
    expect(screen.getByText(/^reading stored values/)).toBeTruthy();
    send('{"progress":{"done":null,"clock":null}}\n{"progress":{"done":0.4');
    send('19,"clock":1000}}\n');
    await screen.findByText(/^41 %, at 1970-01-01/);
    expect(bar.getAttribute("value")).toBe("0.419");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await screen.findByText("Cancelled.");
    expect(aborted).toBe(true);
  });

  it("of which nothing is known is not all quiet, and is drawn without a graph", async () => {
    serve((_, body) => {
      const [from, to] = [Number(body["from"]), Number(body["to"])];
      const unknown = [{ from, to: to - (to - from) / 2, error: "no data" }];
      const nothing = { ...report(from, to), problems: [], unknown, values: 1 };
      return { report: nothing };
    });
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Backtest" }));
    await user.click(await screen.findByRole("button", { name: "Run backtest" }));
    await screen.findByText("without a value for 12h (50 %)");
    expect(screen.getByText("0 problems").closest("p")?.dataset["tone"]).toBe("unknown");
    expect(screen.getByText("1 value, 1,300 evaluations")).toBeTruthy();
    expect(screen.getByText("the expression has no value")).toBeTruthy();
    await screen.findByRole("figure", { name: "Problems over the period" });
  });

  it("that fails on its way says so", async () => {
    serve(() => ({ error: { message: "Error.", data: "history cannot be read" } }));
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Backtest" }));
    await user.click(await screen.findByRole("button", { name: "Run backtest" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("history cannot be read");
  });

  it("that is refused says why in the server's words", async () => {
    vi.stubGlobal("fetch", async () =>
      Response.json(
        { error: { message: "Invalid params.", data: "no such item" } },
        { status: 400 },
      ),
    );
    const { user } = open();
    await user.click(screen.getByRole("button", { name: "Backtest" }));
    await user.click(await screen.findByRole("button", { name: "Run backtest" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("no such item");
  });
});
