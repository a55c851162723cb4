// Journey 3, a storm is acknowledged at once: found by a search, with a preview of the changes, taken back, done again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { arrive, begin, type Journey, RUN, stop, until } from "./journey";

const SWITCHES = 6;
const PORTS = 4;
const hostOf = (n: number) => `switch-${n}-${RUN}`;
const MESSAGE = "fibre cut at the ring, provider notified";

let journey: Journey;

before(async () => {
  journey = await begin({ ownHost: false });
  const { call, sendAll } = journey;
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", {
    name: `Ring ${RUN}`,
  });
  const names = Array.from({ length: SWITCHES }, (_, n) => hostOf(n));
  const ports = Array.from({ length: PORTS }, (_, n) => `port.${n}`);
  const { hostids } = await call<{ hostids: string[] }>(
    "host.create",
    names.map((host) => ({ host, groups: [{ groupid: groupids[0] }] })),
  );
  await call(
    "item.create",
    hostids.flatMap((hostid) =>
      ports.map((key_) => ({ hostid, key_, name: `State of ${key_}`, type: 2, value_type: 3 })),
    ),
  );
  await call(
    "trigger.create",
    names.flatMap((host) =>
      ports.map((key_, n) => ({
        description: `${key_} is down`,
        expression: `last(/${host}/${key_})=0`,
        priority: n === 0 ? 4 : 3,
        tags: [{ tag: "scope", value: "link" }],
      })),
    ),
  );
  await sendAll(names.flatMap((host) => ports.map((key) => ({ host, key, value: "0" }))));
});

after(() => journey?.end());

interface Known {
  readonly acknowledged: string;
  readonly severity: string;
}

const known = () =>
  journey.call<readonly Known[]>("problem.get", { output: ["acknowledged", "severity"] });

test("a storm is acknowledged by keys alone, after a preview, and taken back", async () => {
  const { page, target, admin, browser } = journey;
  const all = SWITCHES * PORTS;
  await arrive(page, target.url, admin);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByText(`${all} problems`, { exact: true }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(hostOf(0));
  await page.getByText(`${PORTS} problems`, { exact: true }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("is down");
  await page.getByText(`${all} problems`, { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+X");
  await page.getByRole("button", { name: `Update ${all} problems` }).waitFor();
  await stop(page, "acknowledge-picked");

  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: `Update ${all} problems` });
  const message = dialog.getByRole("textbox", { name: "Message" });
  await message.waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await page.keyboard.type(MESSAGE);
  await dialog.getByRole("combobox", { name: "Severity", exact: true }).click();
  await page.getByRole("option", { name: "High", exact: true }).click();
  const preview = dialog.getByRole("region", { name: "Changes" });
  await preview.getByText(`Acknowledged: ${all} problems`).waitFor();
  await preview
    .getByText(`Severity High: ${all - SWITCHES} problems, ${SWITCHES} unchanged`)
    .waitFor();
  await preview.getByText(`Message added: ${all} problems`).waitFor();
  await preview.getByText("1 other host").waitFor();
  await stop(page, "acknowledge-preview");
  await message.focus();
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).waitFor();
  assert.ok((await known()).every((it) => it.acknowledged === "1" && it.severity === "4"));

  // it was the wrong storm, and there are seconds to take it back
  await page.keyboard.press("u");
  await page.getByText("Undone").waitFor();
  await until("everything is as before", async () => {
    const problems = await known();
    const high = problems.filter((it) => it.severity === "4").length;
    return high === SWITCHES && problems.every((it) => it.acknowledged === "0");
  });
  // the right one: one switch
  await page.getByRole("searchbox").fill(hostOf(3));
  await page.getByText(`${PORTS} problems`, { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+X");
  await page.keyboard.press("e");
  const again = page.getByRole("dialog", { name: `Update ${PORTS} problems` });
  await again.getByRole("textbox", { name: "Message" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await page.keyboard.type(MESSAGE);
  await page.keyboard.press("Control+Enter");
  await again.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await stop(page, "acknowledge-undo");
  const done = (await known()).filter((it) => it.acknowledged === "1").length;
  assert.equal(done, PORTS);
  await page
    .getByRole("img", { name: "acknowledged" })
    .nth(PORTS - 1)
    .waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").getByText(MESSAGE).first().waitFor();
  await stop(page, "acknowledge-done");
  assert.deepEqual(browser.complaints, []);
});
