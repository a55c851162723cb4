// Journey 8, a dashboard is built: widgets added, dragged and resized, saved, shared with those who need it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { becomes, openBrowser } from "../browser";
import { arrive, begin, type Journey, now, RUN, stop } from "./journey";

const HOST = `router-${RUN}`;
const NAME = `Network at a glance ${RUN}`;
const GROUP = `Operators ${RUN}`;
const OPERATOR = { username: `operator-${RUN}`, password: `Correct-horse-${RUN}` };
const POINTS = 40;

let journey: Journey;

before(async () => {
  journey = await begin();
  const { call, sendAll } = journey;
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", {
    name: `Routers ${RUN}`,
  });
  const { hostids } = await call<{ hostids: string[] }>("host.create", {
    host: HOST,
    groups: [{ groupid: groupids[0] }],
  });
  const item = { hostid: hostids[0], type: 2, value_type: 0 };
  await call("item.create", [
    { ...item, key_: "in", name: "Traffic in", units: "bps" },
    { ...item, key_: "cpu", name: "CPU utilization", units: "%" },
  ]);
  await call("trigger.create", {
    description: "Uplink is nearly full",
    expression: `last(/${HOST}/in)>900M`,
    priority: 3,
  });
  const { usrgrpids } = await call<{ usrgrpids: string[] }>("usergroup.create", {
    name: GROUP,
    hostgroup_rights: [{ id: groupids[0], permission: 2 }],
  });
  const userRole = "1";
  await call("user.create", {
    username: OPERATOR.username,
    passwd: OPERATOR.password,
    roleid: userRole,
    usrgrps: [{ usrgrpid: usrgrpids[0] }],
  });
  const end = now();
  const host = HOST;
  const values = Array.from({ length: POINTS }, (_, n) => {
    const clock = end - (POINTS - n) * 80;
    const traffic = Math.round((600 + 330 * Math.sin(n / 6)) * 1e6);
    return [
      { host, clock, key: "in", value: String(traffic) },
      { host, clock, key: "cpu", value: (35 + 20 * Math.cos(n / 5)).toFixed(1) },
    ];
  }).flat();
  await sendAll([...values, { host, clock: end, key: "in", value: String(950e6) }]);
});

after(() => journey?.end());

test("a dashboard is built with mouse and keys, saved, shared, and seen by an operator", async () => {
  const { page, target, admin, browser } = journey;
  const dialog = page.getByRole("dialog");
  const widget = (name: string): Locator => page.getByRole("article", { name, exact: true });
  const place = (name: string) => page.getByRole("group", { name: new RegExp(`^${name}, column`) });
  const add = async (type: string, fill: () => Promise<void>) => {
    await page.keyboard.press("a");
    await dialog.waitFor();
    await dialog.getByRole("combobox", { name: "Type", exact: true }).click();
    await page.getByRole("option", { name: type, exact: true }).click();
    await fill();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const item = async (name: string) => {
    await dialog.getByRole("combobox", { name: "Item", exact: true }).fill(name);
    await page.getByRole("option", { name: `${HOST}: ${name}` }).click();
  };
  await arrive(page, target.url, admin);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.getByRole("button", { name: "New dashboard" }).press("Enter");
  await dialog.getByRole("textbox", { name: "Name" }).fill(NAME);
  await stop(page, "dashboard-new");
  await dialog.getByRole("button", { name: "Apply" }).press("Enter");
  await dialog.waitFor({ state: "detached" });

  await add("Problems", async () => {});
  await add("Gauge", () => item("CPU utilization"));
  await add("Item value", () => item("Traffic in"));
  await add("Text", async () => {
    await dialog
      .getByLabel("Text (Markdown)")
      .fill("# Uplink\n\nAbove **900 Mbps** call the *provider*.");
    await stop(page, "dashboard-widget");
  });
  await add("Graph", async () => {
    const set = dialog.getByRole("group", { name: "data set 1" });
    await set.getByLabel("Host patterns").fill("router-*");
    await page.keyboard.press("Enter");
    await set.getByLabel("Item patterns").fill("Traffic *");
    await page.keyboard.press("Enter");
    await stop(page, "dashboard-graph-form");
  });

  // the text goes down by its heading, and grows by its corner
  const before = (await place("Text").boundingBox()) ?? assert.fail("there is no text");
  const grip = (await widget("Text").getByRole("heading").first().boundingBox()) ?? before;
  await page.mouse.move(grip.x + 8, grip.y + 6);
  await page.mouse.down();
  await page.mouse.move(grip.x + 8, grip.y + 200, { steps: 8 });
  await page.mouse.move(grip.x + 8, grip.y + 420, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(
    ([y]) => {
      const found = [...document.querySelectorAll('[role="group"]')].find((it) =>
        it.getAttribute("aria-label")?.startsWith("Text, column"),
      );
      return found !== undefined && found.getBoundingClientRect().y > (y ?? 0) + 50;
    },
    [before.y] as const,
  );
  const size = async (name: string) =>
    /(\d+) by (\d+)$/.exec((await place(name).getAttribute("aria-label")) ?? "")?.slice(1) ?? [];
  const [wide] = await size("Gauge");
  const box = (await place("Gauge").boundingBox()) ?? assert.fail("there is no gauge");
  await page.mouse.move(box.x + box.width - 6, box.y + box.height - 6);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 60, box.y + box.height + 40, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(
    ([old]) => {
      const label = [...document.querySelectorAll('[role="group"]')]
        .map((it) => it.getAttribute("aria-label") ?? "")
        .find((it) => it.startsWith("Gauge, column"));
      return Number(/(\d+) by/.exec(label ?? "")?.[1]) > Number(old);
    },
    [wide] as const,
  );
  // one column more by keys, and back
  const [wider, high] = await size("Gauge");
  await place("Gauge").focus();
  await page.keyboard.press("Shift+ArrowRight");
  const grown = page.getByRole("group", {
    name: new RegExp(`^Gauge.* ${Number(wider) + 1} by ${high}$`),
  });
  await grown.waitFor();
  await page.keyboard.press("Control+z");
  await grown.waitFor({ state: "detached" });
  await stop(page, "dashboard-built");

  // for the operators
  await page.getByRole("button", { name: "Properties", exact: true }).click();
  await dialog.getByRole("button", { name: "Add user group" }).click();
  await dialog.getByRole("combobox", { name: "Shared with user groups 1" }).click();
  await page.getByRole("option", { name: GROUP, exact: true }).click();
  await stop(page, "dashboard-share");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  const url = page.url();
  await page.reload();
  await widget("Problems").getByText("Uplink is nearly full").waitFor();
  await widget(`${HOST}: CPU utilization`)
    .getByRole("img", { name: /CPU utilization/ })
    .waitFor();
  await widget("Graph")
    .getByRole("img", { name: /^Chart of/ })
    .waitFor();
  await stop(page, "dashboard-saved");

  const other = await openBrowser();
  try {
    await arrive(other.page, target.url, OPERATOR);
    await other.page.keyboard.press("g");
    await other.page.keyboard.press("d");
    const link = other.page.getByRole("link", { name: NAME, exact: true });
    await link.waitFor();
    await stop(other.page, "dashboard-of-operator-list");
    await link.press("Enter");
    await other.page
      .getByRole("article", { name: "Problems" })
      .getByText("Uplink is nearly full")
      .waitFor();
    assert.equal(new URL(other.page.url()).pathname, new URL(url).pathname);
    // it was shared to be read
    await becomes(() => other.page.getByRole("button", { name: "Edit", exact: true }).count(), 0);
    await stop(other.page, "dashboard-of-operator");
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
  assert.deepEqual(browser.complaints, []);
});
