// A connector: what is typed in a real browser is there again after it was saved, and the server sends by it.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const NAME = `e2e lake ${RUN}`;
const HOST = `e2e-connector-${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let receiver: Server;
let received = "";
let arrived = () => {};

before(async () => {
  receiver = createServer((request, response) => {
    request.setEncoding("utf8");
    request.on("data", (part: string) => {
      received += part;
    });
    request.on("end", () => {
      response.end();
      arrived();
    });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
  receiver?.close();
});

function field(name: string): Locator {
  return page.getByRole("textbox", { name, exact: true });
}

async function choose(name: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

test("a connector is made, sends what matches, and is deleted", async () => {
  const { port } = receiver.address() as AddressInfo;
  await page.goto(`${target.url}/connectors`);
  await press("New connector");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await page.getByText("a URL is required").waitFor();
  await field("Name").fill(NAME);
  await field("URL").fill(`http://127.0.0.1:${port}/lake`);
  await page.getByRole("checkbox", { name: "Log" }).uncheck();
  await press("Add tag filter");
  await field("Tag 1").fill("part");
  await field("Value of tag 1").fill("cpu");
  await choose("HTTP authentication", "Digest");
  await field("User name").fill("lake");
  await choose("HTTP authentication", "Kerberos");
  await becomes(() => field("User name").count(), 0);
  await choose("HTTP authentication", "Bearer token");
  await page.locator("input[type=password]").first().fill("e2e");
  await field("SSL key file").fill("lake.key");
  await field("Attempts").fill("3");
  await field("Attempt interval").fill("2s");
  await shots(page, "connector");
  await press("Create");
  await page.getByRole("link", { name: NAME }).waitFor();
  await shots(page, "connectors");
  await page.getByRole("link", { name: NAME }).click();
  await field("Name").waitFor();
  await becomes(() => field("Value of tag 1").inputValue(), "cpu");
  await becomes(() => field("Attempt interval").inputValue(), "2s");
  await becomes(() => field("SSL key file").inputValue(), "lake.key");
  await becomes(() => page.getByRole("checkbox", { name: "Log" }).isChecked(), false);
  await becomes(() => page.getByRole("checkbox", { name: "Text" }).isChecked(), true);

  const group = (await callAs(page, "hostgroup.create", { name: `E2E connectors ${RUN}` })) as {
    groupids: string[];
  };
  const host = (await callAs(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  })) as { hostids: string[] };
  for (const [key, tag] of [
    ["sent", "cpu"],
    ["kept", "disk"],
  ]) {
    await callAs(page, "item.create", {
      hostid: host.hostids[0],
      name: key,
      key_: key,
      type: 2,
      value_type: 3,
      tags: [{ tag: "part", value: tag }],
    });
  }
  if (target.send !== undefined) {
    const came = new Promise<void>((done, failed) => {
      arrived = done;
      setTimeout(() => failed(new Error("nothing arrived")), STEP_MS).unref();
    });
    await target.send(HOST, "kept", "1");
    await target.send(HOST, "sent", "7");
    await came;
    const lines = received.trim().split("\n");
    const values = lines.map((line) => JSON.parse(line) as { name: string; value: number });
    assert.deepEqual(
      values.map(({ name, value }) => [name, value]),
      [["sent", 7]],
    );
  }

  await press("Delete connector");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No data is sent to other systems yet.").waitFor();
});
