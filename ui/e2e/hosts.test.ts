// The list of hosts with very many of them: the server searches, sorts and sends what is in view.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, signIn } from "./browser";
import { openTarget, type Target } from "./target";

// more than one scrolls through by hand; the API makes them in one call, on a busy machine within ten seconds
const HOSTS = 10_000;
// what a new user has
const WINDOW_ROWS = 50;
const RUN = Date.now().toString(36);
const PREFIX = `many-${RUN}`;
const GROUP = `Sites/${RUN}`;
const ODD = 7;

let target: Target;
let browser: Browser;
let page: Page;
let groupid = "";
let asked: Request[] = [];

const name = (at: number) => `${PREFIX}-${at}`;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const group = await call("hostgroup.create", { name: GROUP });
  groupid = group["groupids"]?.[0] ?? "";
  const began = Date.now();
  await call(
    "host.create",
    Array.from({ length: HOSTS }, (_, at) => ({
      host: name(at),
      groups: [{ groupid: at % ODD === 0 ? groupid : "2" }],
      tags: [{ tag: "rack", value: `r${at % 100}` }],
      interfaces: [
        {
          type: 1,
          main: 1,
          useip: 1,
          ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
          dns: "",
          port: "10050",
        },
      ],
    })),
  );
  console.log(`${HOSTS} hosts made in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  page.on("request", (request) => asked.push(request));
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

const table = () => page.getByRole("table", { name: "Hosts", exact: true });
const link = (text: string) => table().getByRole("link", { name: text, exact: true });
const search = () => page.getByRole("searchbox");

/**
 * What was asked for since `asked` was emptied: windows of hosts, and calls by their method. Each window once: what is on
 * the screen is asked for again whenever hosts have changed.
 */
function offsets(): number[] {
  const windows = asked
    .map((it) => new URL(it.url()))
    .filter(({ pathname }) => pathname === "/api/v1/hosts")
    .map(({ searchParams }) => Number(searchParams.get("offset")));
  return [...new Set(windows)];
}

function methods(): string[] {
  return asked.flatMap((it) => {
    if (!it.url().endsWith("/api_jsonrpc.php")) return [];
    return String(JSON.parse(it.postData() ?? "{}").method);
  });
}

async function total(n: number): Promise<void> {
  const text = n === 1 ? "1 host" : `${n.toLocaleString("en-US")} hosts`;
  await page.getByRole("main").getByText(text, { exact: true }).first().waitFor();
}

test("the list opens with one window, and loads others as one scrolls", async () => {
  asked = [];
  await page.goto(`${target.url}/hosts?q=${PREFIX}`);
  await total(HOSTS);
  await link(name(0)).waitFor();
  await link(name(2)).waitFor();
  assert.deepEqual(offsets(), [0]);
  assert.ok(!methods().includes("host.get"), "hosts are asked for as a whole");
  await shot(page, "hosts-many-dark");
  const scroller = table().locator("xpath=..");
  await scroller.evaluate((it) => it.scrollTo({ top: it.scrollHeight }));
  await link(name(HOSTS - 1)).waitFor();
  assert.ok(offsets().length <= 4, `asked for ${offsets().join()}`);
  assert.ok(offsets().every((it) => it === 0 || it >= HOSTS - 2 * WINDOW_ROWS));
  await becomes(async () => (await table().getByRole("row").count()) < WINDOW_ROWS, true);
  await scroller.evaluate((it) => it.scrollTo({ top: it.scrollHeight / 2 }));
  await link(name(HOSTS / 2)).waitFor();
});

test("search, filters and order are in the address and survive a reload", async () => {
  await search().fill(`${PREFIX} 10.0.19.13`);
  await total(countOf("10.0.19.13"));
  await search().fill(name(4_321));
  await total(1);
  await link(name(4_321)).waitFor();
  await page.waitForURL((url) => url.searchParams.get("q") === name(4_321));
  await search().fill(PREFIX);
  await page.getByRole("combobox", { name: "All host groups" }).fill(RUN);
  await page.getByRole("option", { name: GROUP }).click();
  await page.keyboard.press("Escape");
  await total(Math.ceil(HOSTS / ODD));
  await table().getByRole("button", { name: "Name" }).click();
  await page.waitForURL(/sort=-name/);
  const lastOfGroup = Math.floor((HOSTS - 1) / ODD) * ODD;
  await link(name(lastOfGroup)).waitFor();
  await page.reload();
  await total(Math.ceil(HOSTS / ODD));
  await link(name(lastOfGroup)).waitFor();
  await table().getByText("rack: r", { exact: false }).first().click();
  await page.waitForURL(/tags=rack:r\d+/);
  await page.getByRole("button", { name: /^Remove filter rack/ }).waitFor();
  await shot(page, "hosts-filtered-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await shot(page, "hosts-filtered-light");
  await page.getByRole("button", { name: "Reset filters" }).click();
  await page.waitForURL((url) => url.search === "?sort=-name");
  await shot(page, "hosts-many-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await search().fill(`nothing-${RUN}`);
  await page.getByText("No host matches.").waitFor();
  await shot(page, "hosts-none-dark");
});

/** Addresses are found by their beginnings too: how many have this one in them. */
function countOf(address: string): number {
  let n = 0;
  for (let at = 0; at < HOSTS; at += 1) {
    if (`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}:10050`.includes(address)) n += 1;
  }
  return n;
}

test("keys alone: / to search, j and k to move, x to pick, Enter to open", async () => {
  await page.goto(`${target.url}/hosts?q=${PREFIX}`);
  await link(name(0)).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("End");
  await page.keyboard.type("-77");
  await link(name(77)).waitFor();
  await page.waitForURL((url) => url.searchParams.get("q") === `${PREFIX}-77`);
  await page.keyboard.press("Escape");
  for (const key of ["j", "j", "j", "k", "x"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "1 host" }).waitFor();
  await page.keyboard.press("Enter");

  await page.getByRole("navigation", { name: `Host ${name(770)}` }).waitFor();
});

test("all hosts of a filter are picked and changed, and no more than they is asked for", async () => {
  const query = `${PREFIX}-19`;
  const n = Array.from({ length: HOSTS }, (_, at) => name(at)).filter((it) =>
    it.includes(query),
  ).length;
  await page.goto(`${target.url}/hosts?q=${query}`);
  await total(n);
  // The box is ticked once the server has returned the hosts.
  await page.getByRole("checkbox", { name: "Pick all" }).click();
  await page.getByRole("button", { name: `${n.toLocaleString("en-US")} hosts` }).click();
  asked = [];
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await table().getByText("Disabled").first().waitFor();
  assert.deepEqual(
    methods().filter((it) => it !== "host.massupdate"),
    [],
  );
  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Disabled" }).click();
  await total(n);
});

test("pickers and the palette look hosts up by name", async () => {
  asked = [];
  await page.goto(`${target.url}/latest`);
  await page.getByRole("combobox", { name: "Hosts" }).fill(name(9_345));
  await page.getByRole("option", { name: name(9_345) }).click();
  await page.waitForURL(/hosts=\d+/);
  await page.reload();
  await page.getByText(name(9_345), { exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search pages, hosts and templates").fill(name(9_001));
  await page.getByRole("dialog").getByText(name(9_001), { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: `Host ${name(9_001)}` }).waitFor();
  assert.ok(!asked.some((it) => it.url().endsWith("/api/v1/hosts")));
});

test("rows that do not come say so, and can be asked for again", async () => {
  await page.route(/\/api\/v1\/hosts\?/, (route) => route.abort());
  await page.goto(`${target.url}/hosts`);
  await page.getByText("This could not be loaded.").waitFor();
  await shot(page, "hosts-failed-dark");
  // While nothing comes the button stays or comes back, also behind a try of the page itself.
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  const request = page.waitForRequest(/\/api\/v1\/hosts\?/);
  await again.click();
  await request;
  await page.unroute(/\/api\/v1\/hosts\?/);
  await table().getByRole("link").first().waitFor();
  const refused = browser.complaints.filter((it) => !it.includes("ERR_FAILED"));
  assert.deepEqual(refused, []);
});
