// Journey 9, a template comes from a file, is changed here, goes out as a file, is changed there, and comes back: each
// time one sees what will change before it does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { arrive, begin, type Journey, RUN, stop } from "./journey";

const NAME = `UPS by SNMP ${RUN}`;
const FILE = `zabbix_export:
  version: '7.0'
  template_groups:
    - name: Templates/Power
  templates:
    - template: ${NAME}
      name: ${NAME}
      description: Batteries and load
      groups:
        - name: Templates/Power
      items:
        - name: Battery charge
          type: SNMP_AGENT
          snmp_oid: 1.3.6.1.2.1.33.1.2.4.0
          key: ups.battery.charge
          delay: 1m
          units: '%'
          triggers:
            - expression: last(/${NAME}/ups.battery.charge)<{$UPS.CHARGE.MIN}
              name: Battery is low
              priority: HIGH
        - name: Output load
          type: SNMP_AGENT
          snmp_oid: 1.3.6.1.2.1.33.1.4.4.1.5.1
          key: ups.load
          delay: 1m
          units: '%'
      macros:
        - macro: '{$UPS.CHARGE.MIN}'
          value: '30'
`;

let journey: Journey;

before(async () => {
  journey = await begin();
});

after(() => journey?.end());

test("a template is imported, changed, exported, changed in its file, and imported again with its differences", async () => {
  const { page, target, admin, browser, call } = journey;
  const row = (text: string) => page.getByRole("row").filter({ hasText: text }).first();
  const dialog = page.getByRole("dialog", { name: "Import" });
  const changes = dialog.getByRole("region", { name: "Changes" });
  const show = async (name: string, text: string) => {
    await page.getByRole("button", { name: "Import", exact: true }).press("Enter");
    const chooser = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "File" }).press("Enter");
    const file = { name, mimeType: "application/yaml", buffer: Buffer.from(text) };
    await (await chooser).setFiles(file);
    await dialog.getByRole("button", { name: "Show changes" }).press("Enter");
    await changes.waitFor();
  };
  const take = async (shown: string) => {
    await dialog.getByRole("button", { name: "Import", exact: true }).press("Enter");
    await dialog.getByText(shown).waitFor();
  };
  const close = async () => {
    await dialog.getByRole("button", { name: "Close" }).last().press("Enter");
    await dialog.waitFor({ state: "detached" });
  };
  await arrive(page, target.url, admin);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("table", { name: "Templates" }).waitFor();

  // in
  await show("ups.yaml", FILE);
  await changes.getByText("Battery charge").waitFor();
  await changes.getByText("Battery is low").waitFor();
  await stop(page, "template-new-diff");
  await take("items: 2 created");
  await stop(page, "template-imported");
  await close();

  // changed here
  await page.keyboard.press("/");
  await page.keyboard.type(NAME);
  await row(NAME).getByRole("link", { name: NAME }).press("Enter");
  const tabs = page.getByRole("navigation", { name: `Template ${NAME}` });
  await tabs.getByRole("link", { name: "Items" }).press("Enter");
  await row("ups.load").getByRole("link", { name: "Output load" }).press("Enter");
  const interval = page.getByRole("textbox", { name: "Update interval" });
  await interval.fill("5m");
  await stop(page, "template-item");
  await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
  await row("ups.load").getByText("5m").waitFor();

  // out
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("searchbox").fill(NAME);
  await row(NAME).getByRole("checkbox").press("Space");
  await page.getByRole("button", { name: "1 template", exact: true }).press("Enter");
  await page.getByRole("menuitem", { name: "Export as YAML" }).waitFor();
  await stop(page, "template-export");
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as YAML" }).press("Enter");
  const text = readFileSync(await (await download).path(), "utf8");
  assert.match(text, /delay: 5m/);
  assert.match(text, /Battery is low/);

  // changed there: a threshold, an interval, a severity
  const there = text
    .replace(/value: ['"]?30['"]?/, "value: '50'")
    .replace("delay: 5m", "delay: 2m")
    .replace("priority: HIGH", "priority: DISASTER");
  assert.notEqual(there, text);
  await page.getByRole("searchbox").fill("");
  await show("ups-changed.yaml", there);
  const listed = (await changes.textContent()) ?? "";
  assert.match(listed, /Output load.*delay.*5m.*2m/);
  assert.match(listed, /Battery is low/);
  assert.match(listed, /− .*"30"[\s\S]*\+ .*"50"/);
  await stop(page, "template-diff");
  await take("triggers: 1 updated");
  await stop(page, "template-updated");
  await close();
  // once more there is nothing to do
  await page.getByRole("button", { name: "Import", exact: true }).press("Enter");
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "File" }).press("Enter");
  await (await chooser).setFiles({
    name: "again.yaml",
    mimeType: "application/yaml",
    buffer: Buffer.from(there),
  });
  await dialog.getByRole("button", { name: "Show changes" }).press("Enter");
  await dialog.getByText("Everything already matches the file.").waitFor();
  // the chosen file would be lost: it is asked
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Close this dialog?" });
  await question.getByRole("button", { name: "Close", exact: true }).last().press("Enter");
  await dialog.waitFor({ state: "detached" });

  const [template] = await call<readonly { templateid: string }[]>("template.get", {
    filter: { host: NAME },
    output: ["templateid"],
  });
  const items = await call<readonly { key_: string; delay: string }[]>("item.get", {
    templateids: [template?.templateid],
    output: ["key_", "delay"],
    sortfield: "key_",
  });
  assert.deepEqual(
    items.map(({ key_, delay }) => `${key_} ${delay}`),
    ["ups.battery.charge 1m", "ups.load 2m"],
  );
  assert.deepEqual(browser.complaints, []);
});
