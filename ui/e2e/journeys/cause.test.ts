// Journey 4, the cause is found: what many problems have in common, why one of them is there, the others below it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { arrive, begin, enter, type Journey, RUN, stop } from "./journey";

const SWITCH = `core-switch-${RUN}`;
const SERVERS = ["web", "mail", "files"].map((it) => `${it}-${RUN}`);
const OTHER = `printer-${RUN}`;
const CAUSE = "Uplink is down";
const SYMPTOM = "does not answer";

let journey: Journey;

before(async () => {
  journey = await begin({ ownHost: false });
  const { call, send } = journey;
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", [
    { name: `Rack 12 ${RUN}` },
    { name: `Office ${RUN}` },
  ]);
  const names = [SWITCH, ...SERVERS, OTHER];
  const { hostids } = await call<{ hostids: string[] }>(
    "host.create",
    names.map((host) => ({
      host,
      groups: [{ groupid: groupids[host === OTHER ? 1 : 0] }],
      macros: host === SWITCH ? [{ macro: "{$UPLINKS.MIN}", value: "1" }] : [],
      tags: host === OTHER ? [] : [{ tag: "rack", value: "12" }],
    })),
  );
  await call(
    "item.create",
    hostids.map((hostid, at) => ({
      hostid,
      key_: at === 0 ? "uplinks" : "ping",
      name: at === 0 ? "Uplinks that are up" : "Reachable",
      type: 2,
      value_type: 3,
    })),
  );
  await call("trigger.create", [
    {
      description: CAUSE,
      expression: `last(/${SWITCH}/uplinks)<{$UPLINKS.MIN}`,
      priority: 4,
      comments: "Without an uplink nothing of the rack is reachable.",
    },
    ...[...SERVERS, OTHER].map((host) => ({
      description: `${host} ${SYMPTOM}`,
      expression: `last(/${host}/ping)=0`,
      priority: 3,
    })),
  ]);
  await send(SWITCH, "uplinks", "0");
  for (const host of [...SERVERS, OTHER]) await send(host, "ping", "0");
});

after(() => journey?.end());

test("what is common leads to the cause, which explains itself and takes the symptoms below it", async () => {
  const { page, target, admin, browser } = journey;
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const menu = async (item: RegExp) => {
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await arrive(page, target.url, admin);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByText("5 problems", { exact: true }).waitFor();

  // what those have in common that do not answer, and the printer has not
  for (const host of SERVERS) {
    await page.getByRole("checkbox", { name: `Pick problem ${host} ${SYMPTOM}` }).check();
  }
  await menu(/^Common properties/);
  const common = page.getByRole("table", { name: "Common properties" });
  await common.getByRole("row").filter({ hasText: "rack: 12" }).getByText("100 %").waitFor();
  await stop(page, "cause-common");
  await page.keyboard.press("Escape");
  await common.waitFor({ state: "detached" });

  // all of the rack: one of another kind, and the worst
  const facets = page.getByRole("complementary", { name: "Facets" });
  await page.getByRole("switch", { name: "Facets" }).check({ force: true });
  await facets.getByRole("button", { name: "rack: 12 4" }).click();
  await page.getByText("4 problems", { exact: true }).waitFor();
  await row(CAUSE).getByText("High", { exact: true }).waitFor();
  await stop(page, "cause-rack");
  await page.getByRole("switch", { name: "Facets" }).uncheck({ force: true });

  // why it is there
  await row(CAUSE).getByText(CAUSE).click();
  const panel = page.getByRole("complementary", { name: CAUSE });
  await panel.getByText("Without an uplink").waitFor();
  await panel.getByText("Explain", { exact: true }).click();
  await panel.getByText("0<1").waitFor();
  await panel.getByText("0<1").scrollIntoViewIfNeeded();
  await stop(page, "cause-explained");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });

  // the others are its symptoms
  await page.getByRole("button", { name: "Update 3 problems" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Rank", exact: true }).click();
  await page.getByRole("option", { name: "Symptom of another problem" }).click();
  await dialog.getByRole("combobox", { name: "Its cause", exact: true }).fill("uplink");
  await page.getByRole("option", { name: `${SWITCH}: ${CAUSE}` }).click();
  await dialog.getByText("Marked as symptom: 3 problems").waitFor();
  await stop(page, "cause-rank");
  await dialog.getByRole("button", { name: "Update", exact: true }).click();
  const fold = page.getByRole("button", { name: "3 symptoms", exact: true });
  await fold.waitFor();
  await row(`${SERVERS[0]} ${SYMPTOM}`).waitFor({ state: "detached" });
  await stop(page, "cause-folded");
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  for (const host of SERVERS) {
    await row(`${host} ${SYMPTOM}`).getByRole("img", { name: "symptom" }).waitFor();
  }
  await stop(page, "cause-unfolded");

  // the whole story on one page, for the next reader
  await page.keyboard.press("Enter");
  await enter(page, panel.getByRole("link", { name: "Event page" }));
  await page.waitForURL(/\/events\/\d+$/);
  await page
    .getByRole("region", { name: "Its symptoms" })
    .getByText(SERVERS[2] ?? "")
    .first()
    .waitFor();
  await page.getByRole("region", { name: "Values", exact: true }).getByText("0<1").waitFor();
  await stop(page, "cause-event");
  assert.deepEqual(browser.complaints, []);
});
