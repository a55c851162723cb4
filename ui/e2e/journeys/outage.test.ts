// Journey 2, an outage: many hosts fail; the worst is found first, and what changed in the last hour.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { becomes } from "../browser";
import { arrive, begin, enter, type Journey, RUN, stop } from "./journey";

const SITES = ["Frankfurt", "Berlin", "Riga"] as const;
const HOSTS = SITES.flatMap((site) =>
  ["web", "db", "mail"].map((role) => ({ site, host: `${role}-${site.toLowerCase()}-${RUN}` })),
);
/** Everything of Frankfurt is down, its database worst; Berlin has a warning; Riga had one that is over. */
const WORST = `db-frankfurt-${RUN}`;
const CHECKS = [
  { key_: "ping", name: "Reachable", problem: "does not answer", bad: "=0", priority: 4 },
  { key_: "load", name: "Load", problem: "is under load", bad: ">10", priority: 2 },
  { key_: "raid", name: "RAID", problem: "has lost its RAID", bad: "=0", priority: 5 },
] as const;

let journey: Journey;

before(async () => {
  journey = await begin({ ownHost: false });
  const { call, send, sendAll } = journey;
  const { groupids } = await call<{ groupids: string[] }>(
    "hostgroup.create",
    SITES.map((site) => ({ name: `Sites/${site} ${RUN}` })),
  );
  const { hostids } = await call<{ hostids: string[] }>(
    "host.create",
    HOSTS.map(({ site, host }) => ({
      host,
      groups: [{ groupid: groupids[SITES.indexOf(site)] }],
      tags: [{ tag: "site", value: site }],
    })),
  );
  await call(
    "item.create",
    hostids.flatMap((hostid) =>
      CHECKS.map(({ key_, name }) => ({ hostid, key_, name, type: 2, value_type: 3 })),
    ),
  );
  await call(
    "trigger.create",
    HOSTS.flatMap(({ host }) =>
      CHECKS.map(({ key_, problem, bad, priority }) => ({
        description: `{HOST.NAME} ${problem}`,
        expression: `last(/${host}/${key_})${bad}`,
        priority,
      })),
    ),
  );
  const values = HOSTS.flatMap(({ site, host }) => {
    const isBusy = site !== "Frankfurt" && host.startsWith("web");
    return [
      { host, key: "raid", value: host === WORST ? "0" : "1" },
      { host, key: "ping", value: site === "Frankfurt" ? "0" : "1" },
      { host, key: "load", value: isBusy ? "30" : "1" },
    ];
  });
  await sendAll(values);
  await send(`web-riga-${RUN}`, "load", "2");
  // somebody was at the database a moment before
  const hostid = hostids[HOSTS.findIndex(({ host }) => host === WORST)];
  await call("host.update", { hostid, description: "moved to the new rack" });
});

after(() => journey?.end());

test("the worst host is found first, then what is wrong there, then what changed", async () => {
  const { page, target, admin, browser } = journey;
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  await arrive(page, target.url, admin);
  const hosts = region("Hosts with problems");
  await hosts.getByRole("link", { name: WORST, exact: true }).waitFor();
  await hosts.getByText("4 hosts").waitFor();
  const names = async () => {
    const [worst, second, third, last] = await hosts
      .locator("tbody tr td:first-child")
      .allTextContents();
    return [worst, [second, third].sort(), last];
  };
  const alike = [`mail-frankfurt-${RUN}`, `web-frankfurt-${RUN}`];
  await becomes(names, [WORST, alike, `web-berlin-${RUN}`]);
  const groups = region("Host groups with problems");
  const site = groups.locator("tbody tr").first();
  await site.filter({ hasText: /Frankfurt.*3 of 3$/ }).waitFor();
  const worst = region("Worst problems").getByRole("row").first();
  await worst.filter({ hasText: /Disaster.*lost its RAID/ }).waitFor();

  // what changed: problems that began and ended, and who changed the configuration
  const hour = region("The last hour");
  await hour.getByText("6 problems started").waitFor();
  await hour.getByText("1 problem resolved").waitFor();
  const changes = region("Configuration changes");
  const touched = changes.getByRole("link", { name: WORST, exact: true });
  await touched.first().waitFor();
  await stop(page, "outage-overview");
  await hour.scrollIntoViewIfNeeded();
  await stop(page, "outage-last-hour");

  // the worst host, by keyboard: what is wrong with it as a whole
  await page.getByRole("heading", { name: "Overview", level: 1 }).click();
  await enter(page, hosts.getByRole("link", { name: WORST, exact: true }));
  await page.getByRole("navigation", { name: `Host ${WORST}` }).waitFor();
  const own = region("Open problems");
  await own.getByText(`${WORST} has lost its RAID`).waitFor();
  await own.getByText(`${WORST} does not answer`).waitFor();
  await stop(page, "outage-host");

  // the site as a whole: the count leads to the problems behind it
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  const cell = groups.getByRole("link", {
    name: `3 of severity High: Sites/Frankfurt ${RUN}`,
    exact: true,
  });
  await enter(page, cell);
  await page.getByText("3 problems", { exact: true }).waitFor();
  await stop(page, "outage-problems");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: /does not answer$/ });
  await panel.getByText("site: Frankfurt").waitFor();
  await panel.getByRole("img", { name: "Chart of Reachable" }).waitFor();
  await stop(page, "outage-problem");

  // who touched the worst host, and how
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await enter(page, touched.first());
  await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  const record = page.getByRole("row").filter({ hasText: "moved to the new rack" });
  await record.getByText(WORST).click();
  await page.getByRole("dialog").getByText("moved to the new rack").waitFor();
  await stop(page, "outage-audit");
  assert.deepEqual(browser.complaints, []);
});
