import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { keys } from "@/api/query-keys";
import { useLock } from "@/ui/rights";
import { ObjectArea, useReadOnlyIds, useWritesTriggers } from "./editable";
import { PickedMenu } from "./picked-menu";

afterEach(() => vi.unstubAllGlobals());

const ADMIN = { userid: "7", type: 2, denied: [] };

/** Shows what asks for rights; the server answers when it is let, with the ids that may be changed or an error. */
function show(children: ReactNode, user: object = ADMIN) {
  const waiting: ((rows: readonly object[] | undefined) => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise<Response>((done) => {
        waiting.push((result) => {
          const answer = result === undefined ? { error: { code: -1, data: "no" } } : { result };
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer });
          done(new Response(body, { headers: { "Content-Type": "application/json" } }));
        });
      }),
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(keys.session, user);
  const around = (inner: ReactNode) => (
    <MantineProvider env="test">
      <QueryClientProvider client={client}>{inner}</QueryClientProvider>
    </MantineProvider>
  );
  const { rerender } = render(around(children));
  return {
    waiting,
    client,
    again: (next: ReactNode) => rerender(around(next)),
    answer: (rows: readonly object[] | undefined) => act(async () => waiting.shift()?.(rows)),
  };
}

function Form() {
  const lock = useLock("host.update");
  return <input aria-label="Name" disabled={lock !== undefined} />;
}

const AREA = (
  <ObjectArea kind="host" id="5">
    <Form />
  </ObjectArea>
);

test("a form is not offered before it is known whether it may be changed", async () => {
  const { answer } = show(AREA);
  expect(screen.queryByLabelText("Name")).toBeNull();
  expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
  await answer([]);
  const field = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(field.disabled).toBe(true);
});

test("a form of what is one's own opens with the answer and stays while rights are asked for again", async () => {
  const { answer, client, waiting } = show(AREA);
  await answer([{ hostid: "5" }]);
  const field = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(field.disabled).toBe(false);
  await userEvent.type(field, "typed");
  const query = client.getQueryCache().find({ queryKey: keys.editable("host", ["5"]) });
  await act(async () => {
    query?.reset();
    void query?.fetch();
  });
  expect(query?.state.data).toBeUndefined();
  expect(waiting).toHaveLength(1);
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("typed");
  await answer([]);
  await vi.waitFor(() => expect(field.disabled).toBe(true));
  expect(field.value).toBe("typed");
});

test("where the rights cannot be known the server has the last word", async () => {
  const { answer } = show(AREA);
  await answer(undefined);
  const field = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(field.disabled).toBe(false);
});

test("the form of another object waits for the rights of that one", async () => {
  const { answer, again } = show(AREA);
  await answer([{ hostid: "5" }]);
  await screen.findByLabelText("Name");
  again(
    <ObjectArea kind="host" id="6">
      <Form />
    </ObjectArea>,
  );
  expect(screen.queryByLabelText("Name")).toBeNull();
  await answer([]);
  expect((await screen.findByLabelText<HTMLInputElement>("Name")).disabled).toBe(true);
});

test("super admins and new objects wait for nothing", () => {
  const { waiting } = show(
    <>
      {AREA}
      <ObjectArea kind="host" id="new">
        <Form />
      </ObjectArea>
    </>,
    { ...ADMIN, type: 3 },
  );
  expect(screen.getAllByLabelText("Name")).toHaveLength(2);
  expect(waiting).toHaveLength(0);
});

function Picked() {
  const readOnly = useReadOnlyIds("host", ["5", "6"]);
  return (
    <PickedMenu
      object="host"
      readOnly={readOnly}
      label="2 hosts"
      onStatus={() => undefined}
      onDelete={() => undefined}
      deleting={false}
      deleteTitle="Delete 2 hosts?"
      deleteNote=""
      always={<span>Export</span>}
    />
  );
}

test("the menu of picked rows offers no change before their rights are known", async () => {
  const { answer } = show(<Picked />);
  await userEvent.click(screen.getByRole("button", { name: "2 hosts" }));
  await screen.findByText("Export");
  expect(screen.queryAllByRole("menuitem")).toHaveLength(0);
  await answer([{ hostid: "5" }]);
  await screen.findByText("You cannot change 1 of them.");
  expect(screen.queryAllByRole("menuitem")).toHaveLength(0);
});

test("the menu of picked rows of one's own offers changes with the answer", async () => {
  const { answer } = show(<Picked />);
  await userEvent.click(screen.getByRole("button", { name: "2 hosts" }));
  await screen.findByText("Export");
  await answer([{ hostid: "5" }, { hostid: "6" }]);
  await screen.findByRole("menuitem", { name: "Delete …" });
});

function Closing() {
  return useWritesTriggers(["3"]) ? <button type="button">Close problem</button> : null;
}

test("closing a problem is offered once its trigger is known to be one's own", async () => {
  const { answer } = show(<Closing />);
  expect(screen.queryByRole("button")).toBeNull();
  await answer([{ triggerid: "3" }]);
  await screen.findByRole("button", { name: "Close problem" });
});
