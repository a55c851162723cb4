import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Form } from "@/ui/form";
import { TestRouter } from "@/ui/test-router";
import { stepOf } from "./draft";
import { TestDialog } from "./test-dialog";
import { macrosOfRequest, type TestSubject } from "./test-subject";

const SUBJECT: TestSubject = {
  owner: { kind: "host", id: "10" },
  valueType: 3,
  sample: { itemid: "7", valueType: 4, isMaster: true },
  ask: undefined,
};
const STEPS = [
  { type: "12", params: "$.load", error_handler: "0", error_handler_params: "" },
  { type: "1", params: "{$FACTOR}", error_handler: "2", error_handler_params: "5" },
  { type: "10", params: "", error_handler: "0", error_handler_params: "" },
].map(stepOf);

const INPUT = { value: "", not_supported: false, truncated: false, clock: 1000 };

type Body = Record<string, unknown>;

/** The server's side of the wire: what came, and what is said to it. */
function serve(answer: (path: string, body: Body) => unknown, status = 200): Body[] {
  const bodies: Body[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as Body;
    if (path === "/api/v1/test/item") bodies.push(body);
    const rpc = { jsonrpc: "2.0", id: 1, result: [] };
    const isRpc = path.startsWith("/api_jsonrpc");
    return new Response(JSON.stringify(isRpc ? rpc : answer(path, body)), {
      status: isRpc ? 200 : status,
    });
  });
  return bodies;
}

function open(onSave = () => {}, subject = SUBJECT) {
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <Form
            label="Item"
            call="item.update"
            draft={STEPS}
            submitText="Save"
            busy={false}
            onSubmit={onSave}
            onCancel={() => {}}
          >
            <TestDialog subject={subject} steps={STEPS} onClose={() => {}} />
          </Form>
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("a test of steps", () => {
  it("sends the value, the one before and typed macros, and saves nothing", async () => {
    const bodies = serve(() => ({ steps: [], result: "26", input: INPUT }));
    const saved = vi.fn();
    const user = open(saved);
    await user.type(await screen.findByLabelText("Value"), "3.25");
    await user.type(screen.getByLabelText("Previous value"), "1");
    await user.type(screen.getByLabelText("Value of {$FACTOR}"), "8{Enter}");
    await screen.findByText("Stored as Numeric (unsigned):");
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({
      hostid: "10",
      source: "value",
      value: "3.25",
      value_type: 3,
      not_supported: 0,
      previous: "1",
      previous_age_s: 60,
    });
    expect(bodies[0]?.["steps"]).toMatchObject([{ params: "$.load" }, { params: "{$FACTOR}" }, {}]);
    expect(bodies[0]?.["macros"]).toEqual([{ macro: "{$FACTOR}", value: "8" }]);
    expect(saved).not.toHaveBeenCalled();
  });

  it("shows the result of each step and why the item would not be supported", async () => {
    serve(() => ({
      steps: [
        { result: "x" },
        { error: { value: "cannot multiply" }, action: 2, result: "5" },
        { error: { value: "no number" } },
      ],
      error: "no number at the end",
      input: INPUT,
    }));
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Test all steps" }));
    const results = await screen.findByRole("table", { name: "Results of the steps" });
    await within(results).findByText("cannot multiply");
    expect(within(results).getByText("on failure, value set:")).toBeTruthy();
    expect(within(results).getByText("no number")).toBeTruthy();
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toContain("The item would become not supported.");
    expect(alert.textContent).toContain("no number at the end");
  });

  it("shows the parameters as they are written, then as they were used", async () => {
    serve(() => ({
      steps: [{ params: "$.load", result: "4" }, { params: "1024", result: "4096" }, {}],
      result: "4096",
      input: INPUT,
    }));
    const user = open();
    const results = await screen.findByRole("table", { name: "Results of the steps" });
    expect(within(results).getByText("$.load")).toBeTruthy();
    expect(within(results).getByText("{$FACTOR}")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Test all steps" }));
    await within(results).findByText("1024");
    expect(within(results).queryByText("{$FACTOR}")).toBeNull();
  });

  it("computes a formula and shows what each function gave", async () => {
    const bodies = serve(() => ({
      steps: [],
      result: null,
      input: { ...INPUT, value: "109.5" },
      functions: [
        { text: "last(//load)", value: "100", error: null },
        { text: "avg(//none,1h)", value: null, error: "item does not exist" },
      ],
    }));
    const item = { type: 15, params: "last(//load)+9.5" };
    const ask = { hostid: "10", itemid: undefined, item };
    const user = open(undefined, { ...SUBJECT, ask, isComputed: true });
    await user.click(await screen.findByRole("button", { name: "Compute now" }));
    await screen.findByText("Just computed.");
    expect(bodies[0]).toMatchObject({ source: "host", item });
    expect(screen.getByLabelText<HTMLTextAreaElement>("Value").value).toBe("109.5");
    const functions = screen.getByLabelText("Results of the functions");
    expect(functions.textContent).toContain("last(//load)100");
    within(functions).getByText("item does not exist");
    // they are of that value, not of one that is typed
    await user.type(screen.getByLabelText("Value"), "1");
    expect(screen.queryByLabelText("Results of the functions")).toBeNull();
  });

  const ASK = { hostid: "10", itemid: undefined, item: { type: 0, key_: "agent.ping" } };

  it("shows what was asked and answered, folded, as long as it is of the value", async () => {
    serve(() => ({
      steps: [],
      result: null,
      input: { ...INPUT, value: "1" },
      exchange: [
        { by: "log", text: "connected to 192.0.2.7:10050, unencrypted", left_out: 0 },
        { by: "server", text: "agent.ping", left_out: 0 },
        { by: "peer", text: "1", left_out: 5904 },
      ],
    }));
    const user = open(undefined, { ...SUBJECT, ask: ASK });
    expect(screen.queryByText("Requests and responses")).toBeNull();
    await user.click(await screen.findByRole("button", { name: "Get value from host" }));
    const summary = await screen.findByText("Requests and responses");
    const details = summary.closest("details");
    expect(details?.open).toBe(false);
    const lines = [...(details?.querySelectorAll("li") ?? [])].map((it) => it.textContent);
    expect(lines).toEqual([
      "Noteconnected to 192.0.2.7:10050, unencrypted",
      "Requestagent.ping",
      "Response1… and 5,904 bytes that are not shown",
    ]);
    await user.type(screen.getByLabelText("Value"), "2");
    expect(screen.queryByText("Requests and responses")).toBeNull();
  });

  it("shows what was asked where nobody answers", async () => {
    const exchange = [{ by: "server", text: "SNMPv2c to 192.0.2.7:161: GET", left_out: 0 }];
    const error = { code: -32500, message: "Application error.", data: "no answer", exchange };
    serve(() => ({ error }), 400);
    const user = open(undefined, { ...SUBJECT, ask: ASK });
    await user.click(await screen.findByRole("button", { name: "Get value from host" }));
    await screen.findByText("no answer");
    const lines = await screen.findByLabelText("Requests and responses");
    within(lines).getByText("SNMPv2c to 192.0.2.7:161: GET");
  });

  it("asks for a prototype with the values that are typed for its macros", async () => {
    const bodies = serve(() => ({ steps: [], result: null, input: { ...INPUT, value: "1" } }));
    const item = {
      type: 0,
      key_: "net.if.in[{#IF}]",
      headers: [{ name: "a", value: "{$TOKEN}" }],
    };
    const subject = { ...SUBJECT, ask: { hostid: "10", itemid: "7", item }, isPrototype: true };
    const user = open(undefined, subject);
    const ask = await screen.findByRole("button", { name: "Get value from host" });
    await user.click(ask);
    await screen.findByText("Enter values of {#IF} first.");
    expect(bodies).toHaveLength(0);
    await user.type(screen.getByLabelText("Value of {#IF}"), "eth0");
    expect(screen.queryByText("Enter values of {#IF} first.")).toBeNull();
    // one of the steps is no matter of the host
    await user.type(screen.getByLabelText("Value of {$FACTOR}"), "8");
    await user.click(ask);
    await screen.findByText("Just retrieved.");
    expect(bodies[0]).toMatchObject({ source: "host", itemid: "7", item });
    expect(bodies[0]?.["macros"]).toEqual([{ macro: "{#IF}", value: "eth0" }]);
    await user.type(screen.getByLabelText("Value of {$TOKEN}"), "t");
    await user.click(ask);
    await vi.waitFor(() => expect(bodies).toHaveLength(2));
    expect(bodies[1]?.["macros"]).toEqual([
      { macro: "{#IF}", value: "eth0" },
      { macro: "{$TOKEN}", value: "t" },
    ]);
  });

  it("needs no value of what a script writes like a discovery macro", () => {
    const item = { type: 21, key_: "rows", params: 'return [{ "{#IF}": "{$A}" }]' };
    const ask = { hostid: "10", itemid: undefined, item };
    expect(macrosOfRequest({ ...SUBJECT, ask })).toEqual({ all: ["{$A}"], needed: [] });
    const prototype = { ...SUBJECT, ask, isPrototype: true };
    expect(macrosOfRequest(prototype)).toEqual({ all: ["{#IF}", "{$A}"], needed: [] });
    const formula = { ...prototype, isComputed: true };
    expect(macrosOfRequest(formula).needed).toEqual(["{#IF}"]);
  });

  it("says that a stored value is cut", async () => {
    serve(() => ({ steps: [], result: null, input: { ...INPUT, value: "long", truncated: true } }));
    const user = open();
    await user.click(
      await screen.findByRole("button", { name: "Latest value of the master item" }),
    );
    await screen.findByText(/It is truncated, only this part is stored/);
  });

  it("says what a macro will be where nothing is typed", async () => {
    serve(() => ({}));
    open();
    const field = await screen.findByLabelText<HTMLInputElement>("Value of {$FACTOR}");
    await vi.waitFor(() => expect(field.placeholder).toBe("not defined"));
  });

  it("tries one step on what the one before gave", async () => {
    const bodies = serve((_, { steps }) => ({
      steps: (steps as unknown[]).map((_, at) => ({ result: `after ${at + 1}` })),
      result: "1",
      input: INPUT,
    }));
    const user = open();
    await user.type(await screen.findByLabelText("Value"), "raw");
    await user.click(screen.getByRole("button", { name: "Test all steps" }));
    await screen.findByText("after 3");
    await user.click(screen.getByRole("button", { name: "Test step 2" }));
    await vi.waitFor(() => expect(bodies).toHaveLength(2));
    expect(bodies[1]).toMatchObject({ value: "after 1" });
    expect(bodies[1]?.["steps"]).toHaveLength(1);
  });

  it("runs by Ctrl+Enter in the value, where Enter is a new line", async () => {
    const bodies = serve(() => ({ steps: [], result: "1", input: INPUT }));
    const user = open();
    await user.type(await screen.findByLabelText("Value"), "a{Enter}b");
    expect(bodies).toHaveLength(0);
    await user.keyboard("{Control>}{Enter}{/Control}");
    await vi.waitFor(() => expect(bodies).toHaveLength(1));
    expect(bodies[0]).toMatchObject({ value: "a\nb" });
  });

  it("says that a value would be discarded", async () => {
    serve(() => ({ steps: [{ result: "1" }, { result: null }], result: null, input: INPUT }));
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Test all steps" }));
    await screen.findByText("The value would be discarded.");
    expect(screen.getByText("discarded")).toBeTruthy();
  });

  it("does not call discarded what goes on as an error", async () => {
    serve(() => ({ steps: [{ result: null }, {}, {}], error: "timed out", input: INPUT }));
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Test all steps" }));
    await screen.findByText("timed out");
    expect(screen.queryByText("discarded")).toBeNull();
  });

  it("takes the latest value of the master item, an error too", async () => {
    const bodies = serve(() => ({
      steps: [],
      result: null,
      input: { ...INPUT, value: "no route", not_supported: true },
    }));
    const user = open();
    await user.click(
      await screen.findByRole("button", { name: "Latest value of the master item" }),
    );
    await vi.waitFor(() =>
      expect(screen.getByLabelText<HTMLTextAreaElement>("Value").value).toBe("no route"),
    );
    expect(bodies[0]).toMatchObject({ hostid: "10", itemid: "7", source: "latest" });
    const isError = screen.getByLabelText<HTMLInputElement>(/value is the error of a check/);
    expect(isError.checked).toBe(true);
  });
});
