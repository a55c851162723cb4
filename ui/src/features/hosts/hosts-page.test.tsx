import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keys } from "@/api/query-keys";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import type { HostsSearch } from "./filter";
import { HostsPage } from "./hosts-page";

const TOTAL = 20_000;

let asked: URL[] = [];
let posted: { readonly method: string; readonly params: unknown }[] = [];
let total = TOTAL;
let failing = false;
/** answers wait for it */
let held: Promise<void> | undefined;
let waiting = 0;

function hostRow(at: number) {
  return {
    hostid: String(1000 + at),
    host: `host-${at}`,
    name: `Host ${at}`,
    status: "0",
    active_available: "0",
    interfaces: [],
    hostgroups: [],
    parentTemplates: [],
    tags: [{ tag: "site", value: "fra" }],
    items: at,
    triggers: 0,
    discoveries: 0,
  };
}

function hostAnswer(url: URL): unknown {
  if (url.pathname.endsWith("/ids")) {
    return { hostids: Array.from({ length: total }, (_, at) => String(1000 + at)) };
  }
  const offset = Number(url.searchParams.get("offset"));
  const n = Math.min(Number(url.searchParams.get("limit")), Math.max(0, total - offset));
  return { total, hosts: Array.from({ length: n }, (_, at) => hostRow(offset + at)) };
}

function json(body: unknown, status = 200): Response {
  const headers = { "Content-Type": "application/json" };
  return new Response(JSON.stringify(body), { status, headers });
}

beforeEach(() => {
  asked = [];
  posted = [];
  total = TOTAL;
  failing = false;
  held = undefined;
  waiting = 0;
  // the test environment has no layout: give the virtual list a window to fill
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(120);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1200);
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (path === "/api_jsonrpc.php") {
      const { method, params, id } = JSON.parse(String(init.body));
      if (!method.endsWith(".get")) posted.push({ method, params });
      const result = method.endsWith(".get") ? [] : { hostids: [] };
      return json({ jsonrpc: "2.0", id, result });
    }
    waiting += 1;
    await held;
    waiting -= 1;
    if (failing) return json({ error: { message: "out of order", data: "" } }, 400);
    const url = new URL(path, "http://localhost");
    asked.push(url);
    return json(hostAnswer(url));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function Page({ first }: { readonly first: HostsSearch }) {
  const [search, setSearch] = useState<HostsSearch>(first);
  return (
    <>
      <output aria-label="address">{JSON.stringify(search)}</output>
      <HostsPage search={search} onSearch={setSearch} />
    </>
  );
}

function show(first: HostsSearch = {}) {
  // a failure is one at once: what is waited between tries is the library's
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(keys.session, { rows_per_page: 120 });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <TestRouter>
          <Page first={first} />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

const windows = () => asked.filter(({ pathname }) => pathname === "/api/v1/hosts");
const last = () => windows().at(-1)?.searchParams;

it("asks for the rows in view and knows how many there are", async () => {
  show();
  await screen.findByText("20,000 hosts");
  await screen.findByText("Host 0");
  expect(windows()).toHaveLength(1);
  expect([last()?.get("offset"), last()?.get("limit")]).toEqual(["0", "120"]);
  expect(screen.getByLabelText("Hosts").getAttribute("aria-rowcount")).toBe("20001");
});

it("has filter and order in the address, and the server apply them", async () => {
  show({ q: "web", status: "disabled", tags: "site:fra", sort: "-items" });
  await screen.findByText("Host 0");
  expect(Object.fromEntries(last() ?? [])).toEqual({
    q: "web",
    status: "1",
    tags: JSON.stringify([{ tag: "site", value: "fra", operator: "1" }]),
    sort: "-items",
    offset: "0",
    limit: "120",
  });
  fireEvent.click(screen.getByText("Triggers"));
  await waitFor(() => expect(last()?.get("sort")).toBe("triggers"));
  fireEvent.click(screen.getByLabelText("Reset filters"));
  await waitFor(() => expect(last()?.get("q")).toBeNull());
  expect(screen.getByLabelText("address").textContent).toBe('{"sort":"triggers"}');
});

it("picks all hosts of the filter, also those that it never loaded", async () => {
  show({ q: "host" });
  await screen.findByText("Host 0");
  fireEvent.click(screen.getByLabelText("Pick all"));
  // the note next to the title says the same
  await waitFor(() => expect(screen.getAllByText("20,000 hosts")).toHaveLength(2));
  const menu = screen.getByText("20,000 hosts", { selector: "button *" });
  expect(asked.at(-1)?.pathname).toBe("/api/v1/hosts/ids");
  expect(asked.at(-1)?.searchParams.get("q")).toBe("host");
  fireEvent.click(menu);
  fireEvent.click(await screen.findByText("Disable"));
  await waitFor(() => expect(posted).toHaveLength(1));
  const [change] = posted as { method: string; params: { hosts: unknown[]; status: number } }[];
  expect(change?.method).toBe("host.massupdate");
  expect([change?.params.hosts.length, change?.params.status]).toEqual([TOTAL, 1]);
});

it("forgets what was picked when another filter hides it", async () => {
  show();
  await screen.findByText("Host 0");
  fireEvent.click(screen.getAllByLabelText("Pick")[0] as HTMLElement);
  await screen.findByText("1 host");
  fireEvent.click(screen.getAllByText("site: fra")[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByText("1 host")).toBeNull());
});

it("says why there is nothing, and what to do", async () => {
  total = 0;
  show();
  await screen.findByText("No hosts yet");
  fireEvent.change(screen.getByLabelText(/^Search hosts/), { target: { value: "nothing" } });
  await screen.findByText("No host matches.");
});

it("says that it failed, and tries again", async () => {
  failing = true;
  show();
  await screen.findByText("out of order");
  failing = false;
  fireEvent.click(screen.getByText("Try again"));
  await screen.findByText("Host 0");
});

it("keeps saying that it failed until there is an answer", async () => {
  failing = true;
  show();
  await screen.findByText("out of order");
  for (const fails of [true, false]) {
    let answer = () => {};
    held = new Promise((resolve) => {
      answer = resolve;
    });
    failing = fails;
    fireEvent.click(screen.getByText("Try again"));
    await waitFor(() => expect(waiting).toBe(1));
    expect(screen.getByText("out of order")).toBeTruthy();
    answer();
    await waitFor(() => expect(waiting).toBe(0));
  }
  await screen.findByText("Host 0");
});
