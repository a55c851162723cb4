// Journey 5, a graph of three items of five hosts: picked from latest data, looked at, shared with a colleague.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { becomes, openBrowser } from "../browser";
import { arrive, begin, enter, type Journey, now, RUN, stop } from "./journey";

const GROUP = `Web farm ${RUN}`;
const HOSTS = [1, 2, 3, 4, 5].map((n) => `farm-${n}-${RUN}`);
const ITEMS = [
  { key_: "cpu", name: "CPU utilization", value_type: 0, units: "%" },
  { key_: "mem", name: "Used memory", value_type: 3, units: "B" },
  { key_: "req", name: "Requests", value_type: 0, units: "rps" },
  { key_: "uptime", name: "Uptime", value_type: 3, units: "uptime" },
] as const;
const WANTED = ["CPU utilization", "Used memory", "Requests"] as const;
const POINTS = 30;
const COLLEAGUE = { username: `colleague-${RUN}`, password: `Battery-staple-${RUN}` };

let journey: Journey;

before(async () => {
  journey = await begin();
  const { call, sendAll } = journey;
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", { name: GROUP });
  const { hostids } = await call<{ hostids: string[] }>(
    "host.create",
    HOSTS.map((host) => ({ host, groups: [{ groupid: groupids[0] }] })),
  );
  await call(
    "item.create",
    hostids.flatMap((hostid) => ITEMS.map((it) => ({ ...it, hostid, type: 2 }))),
  );
  // who may look at these hosts, and only look
  const { usrgrpids } = await call<{ usrgrpids: string[] }>("usergroup.create", {
    name: `Readers ${RUN}`,
    hostgroup_rights: [{ id: groupids[0], permission: 2 }],
  });
  const userRole = "1";
  const usrgrps = [{ usrgrpid: usrgrpids[0] }];
  await call("user.create", {
    username: COLLEAGUE.username,
    passwd: COLLEAGUE.password,
    roleid: userRole,
    usrgrps,
  });
  const end = now();
  const values = HOSTS.flatMap((host, at) =>
    Array.from({ length: POINTS }, (_, n) => {
      const clock = end - (POINTS - n) * 110;
      const wave = Math.sin((n + 3 * at) / 4);
      return [
        { host, clock, key: "cpu", value: (40 + 20 * wave + 3 * at).toFixed(2) },
        { host, clock, key: "mem", value: String(Math.round((4 + at + wave) * 1e9)) },
        { host, clock, key: "req", value: (150 + 90 * wave + 10 * at).toFixed(1) },
      ];
    }).flat(),
  );
  const uptimes = HOSTS.map((host) => ({ host, key: "uptime", value: "86400", clock: end - 60 }));
  await sendAll([...values, ...uptimes]);
});

after(() => journey?.end());

test("three items of five hosts become a graph, whose link shows a colleague the same", async () => {
  const { page, target, admin, browser } = journey;
  await arrive(page, target.url, admin);
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  const table = page.getByRole("table", { name: "Latest data" });
  await table.waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(`farm ${RUN}`);
  await page.waitForURL(/q=farm/);
  await page.keyboard.press("Escape");
  await table
    .getByText(HOSTS[4] ?? "")
    .first()
    .waitFor();
  // all of what is found, without the uptimes
  await page.getByRole("checkbox", { name: "Pick all" }).press("Space");
  for (const row of await table.getByRole("row").filter({ hasText: "Uptime" }).all()) {
    await row.getByRole("checkbox").press("Space");
  }
  const draw = page.getByRole("link", { name: `Graph (${HOSTS.length * WANTED.length})` });
  await draw.waitFor();
  await stop(page, "graph-picked");
  await enter(page, draw);

  const figures = page.getByRole("figure");
  await figures.nth(WANTED.length - 1).waitFor();
  await becomes(() => figures.count(), WANTED.length);
  for (const name of WANTED) {
    const figure = page.getByRole("figure", { name, exact: true });
    for (const host of HOSTS) await figure.getByRole("row", { name: host }).waitFor();
  }
  await stop(page, "graph-drawn");
  // a time of the first is the same time of the others; what is rendered again meanwhile forgets the pointer until it moves
  const chart = figures.first().getByRole("img", { name: /^Chart of/ });
  const times = page.locator("figcaption time");
  let x = 200;
  await becomes(async () => {
    x += 1;
    await chart.hover({ position: { x, y: 40 } });
    const isHere = await figures.last().getByRole("columnheader", { name: "here" }).isVisible();
    return isHere && new Set(await times.allTextContents()).size === 1;
  }, true);
  await stop(page, "graph-crosshair");
  await page.getByRole("button", { name: "Share" }).press("Enter");
  const link = await page.getByRole("textbox", { name: "Link with fixed time" }).inputValue();
  await stop(page, "graph-share");

  const other = await openBrowser();
  try {
    await other.page.goto(link);
    await other.page.getByRole("form", { name: "Sign in" }).waitFor();
    await other.page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
    await other.page.keyboard.type(COLLEAGUE.username);
    await other.page.keyboard.press("Tab");
    await other.page.keyboard.type(COLLEAGUE.password);
    await other.page.keyboard.press("Enter");
    for (const name of WANTED) {
      const figure = other.page.getByRole("figure", { name, exact: true });
      for (const host of HOSTS) await figure.getByRole("row", { name: host }).waitFor();
    }
    const params = (url: string) => [...new URL(url).searchParams];
    assert.deepEqual(params(other.page.url()), params(link));
    await stop(other.page, "graph-colleague");
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
  assert.deepEqual(browser.complaints, []);
});
