// Journey 7, a trigger is written: completed as one types, held against what was, until it fits; then it fires.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { becomes } from "../browser";
import { arrive, begin, type Journey, jump, now, RUN, reach, stop } from "./journey";

const HOST = `shop-${RUN}`;
const PROBLEM = `Checkout is slow ${RUN}`;
/** Minutes of the past; some of them were bad: two short peaks, and one long time. */
const MINUTES = 180;
const PEAKS: readonly (readonly [from: number, to: number])[] = [
  [30, 31],
  [80, 81],
  [120, 140],
];

let journey: Journey;

before(async () => {
  journey = await begin();
  const { call, sendAll } = journey;
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", {
    name: `Shop ${RUN}`,
  });
  const { hostids } = await call<{ hostids: string[] }>("host.create", {
    host: HOST,
    groups: [{ groupid: groupids[0] }],
  });
  await call("item.create", {
    hostid: hostids[0],
    key_: "checkout.time",
    name: "Time of a checkout",
    type: 2,
    value_type: 0,
    units: "s",
  });
  const end = now();
  const values = Array.from({ length: MINUTES }, (_, n) => {
    const isBad = PEAKS.some(([from, to]) => n >= from && n < to);
    const value = isBad ? 4 + (n % 3) / 10 : 0.5 + (n % 7) / 20;
    const clock = end - (MINUTES - n) * 60;
    return { host: HOST, key: "checkout.time", value: value.toFixed(2), clock };
  });
  await sendAll(values);
});

after(() => journey?.end());

test("an expression is completed, tried on three hours, mended and saved; then a slow checkout is a problem", async () => {
  const { page, target, admin, browser, send } = journey;
  await arrive(page, target.url, admin);
  await jump(page, HOST);
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await tabs.getByRole("link", { name: "Triggers" }).press("Enter");
  await page.getByRole("heading", { name: "Triggers", level: 1 }).waitFor();
  await page.getByRole("button", { name: "New trigger" }).press("Enter");
  await page.getByRole("textbox", { name: /^Name/ }).first().fill(PROBLEM);

  // written as one would, completed where it can be
  const expression = page.getByRole("textbox", { name: /^Expression/ });
  await reach(page, expression);
  const offered = page.getByRole("list", { name: "Completions" });
  const take = async (typed: string, choice: string) => {
    await page.keyboard.type(typed);
    await offered.getByRole("button", { name: choice, exact: true }).waitFor();
    const at = (await offered.getByRole("button").allTextContents()).indexOf(choice);
    for (let n = 0; n <= at; n += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
  };
  await take("las", "last");
  await take(HOST.slice(0, 6), HOST);
  await take("check", "checkout.time");
  await stop(page, "trigger-completed");
  await page.keyboard.type(")>3");
  await becomes(() => expression.inputValue(), `last(/${HOST}/checkout.time)>3`);
  await page.getByText("checked by the server").waitFor();

  // every peak would have woken somebody up
  await page.getByRole("button", { name: "Backtest", exact: true }).press("Enter");
  const backtest = page.getByRole("region", { name: "Backtest" });
  const run = backtest.getByRole("button", { name: "Run backtest" });
  await run.click();
  await backtest.getByText(`${PEAKS.length} problems`, { exact: true }).waitFor();
  await backtest.getByRole("img", { name: "Chart of Time of a checkout" }).waitFor();
  await backtest.scrollIntoViewIfNeeded();
  await stop(page, "trigger-backtest-nervous");
  // only what lasts is worth it
  await expression.fill(`min(/${HOST}/checkout.time,#3)>3`);
  await backtest.getByText("The expression has changed since this backtest.").waitFor();
  await page.getByText("checked by the server").waitFor();
  await run.click();
  await backtest.getByText("1 problem", { exact: true }).waitFor();
  await backtest.scrollIntoViewIfNeeded();
  await stop(page, "trigger-backtest-quiet");

  await page.getByRole("radio", { name: "High" }).check({ force: true });
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByText("Expression: false").waitFor();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("row").filter({ hasText: PROBLEM }).getByText("High").waitFor();
  await stop(page, "trigger-list");

  // what it was written for
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByRole("heading", { name: "Problems", level: 1 }).waitFor();
  for (const value of ["5.5", "6.1", "5.8"]) await send(HOST, "checkout.time", value);
  await page.getByRole("row").filter({ hasText: PROBLEM }).waitFor();
  await stop(page, "trigger-problem");
  assert.deepEqual(browser.complaints, []);
});
