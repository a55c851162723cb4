// Items that ask a web server, by a request or by a script: made by the form, tried out, opened again.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);

let target: Target;
let browser: Browser;
let page: Page;
let web: Server;
let address = "";
let hostid = "";

before(async () => {
  // answers with the request
  web = createServer((request, answer) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = Buffer.concat(parts).toString();
      answer.writeHead(201, { "Content-Type": "application/json" });
      answer.end(JSON.stringify({ method, url, token: headers["x-token"], body }));
    });
  });
  await new Promise<void>((done) => web.listen(0, "127.0.0.1", done));
  const bound = web.address();
  address = `127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`;
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const host = await callAs<Readonly<Record<string, readonly string[]>>>(page, "host.create", {
    host: `kinds-${RUN}`,
    groups: [{ groupid: "2" }],
    macros: [{ macro: "{$TOKEN}", value: "t1" }],
  });
  hostid = host["hostids"]?.[0] ?? "";
});

after(async () => {
  await browser?.close();
  await target?.stop();
  web?.close();
});

async function fill(label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
}

/** By its role: required fields have a star behind their label. */
async function write(name: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name }).first().fill(text);
}

async function choose(name: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function open(name: string): Promise<void> {
  await page.getByRole("row").filter({ hasText: name }).first().click();
  await page.getByRole("button", { name: "Save" }).waitFor();
}

/** The value that the server gets with what the form says now. */
async function valueNow(): Promise<string> {
  await press("Test");
  const dialog = page.getByRole("dialog", { name: "Test preprocessing" });
  await dialog.getByRole("button", { name: "Get value from host" }).click();
  await dialog.getByText("Just retrieved.").waitFor();
  const value = await dialog.getByLabel("Value", { exact: true }).inputValue();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  return value;
}

async function bothSchemes(name: string): Promise<void> {
  // the whole form
  await page.setViewportSize({ width: 1440, height: 1900 });
  for (const scheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await shot(page, `${name}-${scheme}`);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("an HTTP agent is made, tried out before it is saved, and opened again", async () => {
  await page.goto(`${target.url}/hosts/${hostid}/items`);
  await press("New item");
  await write("Name", "Page");
  await choose("Type", "HTTP agent");
  await choose("Type of information", "Text");
  await write("Key", "page");
  await press("Create");
  await page.getByText("a URL is required").waitFor();
  await write("URL", `http://${address}/status`);
  await press("Add query field");
  await fill("Name of query field 1", "q");
  await fill("Value of query field 1", "a b");
  await choose("Request method", "POST");
  await choose("Body type", "JSON");
  await write("Body", '{"n":');
  await page.getByText("this is not JSON").waitFor();
  await write("Body", '{"n": 1}');
  await press("Add header");
  await fill("Name of header 1", "X-Token");
  await fill("Value of header 1", "{$TOKEN}");
  await fill("Required status codes", "200,x");
  await page.getByText("enter codes or ranges of codes").waitFor();
  await fill("Required status codes", "201");
  await fill("Timeout", "5s");
  await choose("Authentication", "Basic");
  await write("User name", "me");
  await write("Notes", "asked for by the shop");
  await bothSchemes("item-http");
  const answer = JSON.parse(await valueNow());
  assert.deepEqual(answer, {
    method: "POST",
    url: "/status?q=a%20b",
    token: "t1",
    body: '{"n": 1}',
  });
  await press("Create");
  await page.getByRole("button", { name: "New item" }).waitFor();
  await open("Page");
  await becomes(() => page.getByLabel("Value of header 1").inputValue(), "{$TOKEN}");
  await becomes(
    () => page.getByRole("textbox", { name: "Notes" }).inputValue(),
    "asked for by the shop",
  );
  await becomes(() => page.getByRole("combobox", { name: "Authentication" }).inputValue(), "Basic");
  await choose("Request method", "HEAD");
  await becomes(() => page.getByRole("textbox", { name: "Body", exact: true }).count(), 0);
  await press("Save");
  await page.getByRole("button", { name: "New item" }).waitFor();
});

test("a script item is made, tried out before it is saved, and opened again", async () => {
  await press("New item");
  await write("Name", "Made");
  await choose("Type", "Script");
  await choose("Type of information", "Text");
  await write("Key", "made");
  await press("Create");
  await page.getByText("a script is required").waitFor();
  await press("Add parameter");
  await fill("Name of parameter 1", "url");
  await fill("Value of parameter 1", `http://${address}/made`);
  await press("Add parameter");
  await fill("Name of parameter 2", "url");
  await page.getByText("a name is used twice").waitFor();
  await fill("Name of parameter 2", "token");
  await fill("Value of parameter 2", "{$TOKEN}");
  const lines = [
    "var given = JSON.parse(value);",
    "var request = new HttpRequest();",
    "request.addHeader('X-Token: ' + given.token);",
    "return request.put(given.url, 'data');",
  ];
  await page.getByRole("textbox", { name: "Script", exact: true }).fill(lines.join("\n"));
  await bothSchemes("item-script");
  const answer = JSON.parse(await valueNow());
  assert.deepEqual(answer, { method: "PUT", url: "/made", token: "t1", body: "data" });
  await press("Create");
  await page.getByRole("button", { name: "New item" }).waitFor();
  await open("Made");
  const script = page.getByRole("textbox", { name: "Script", exact: true });
  await becomes(() => script.inputValue(), lines.join("\n"));
  await script.fill("return JSON.parse(value).token + '!'");
  assert.equal(await valueNow(), "t1!");
  await press("Save");
  await page.getByRole("button", { name: "New item" }).waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("an item prototype is asked for a value as what discovery would make of it", async () => {
  type Created = Readonly<Record<string, readonly string[]>>;
  const rule = { hostid, name: "Pages", key_: "pages", type: 2 };
  const ruleid = (await callAs<Created>(page, "discoveryrule.create", rule))["itemids"]?.[0];
  const prototype = {
    ...{ hostid, ruleid, name: "Page {#PAGE}", key_: "page[{#PAGE}]", type: 19, value_type: 4 },
    url: `http://${address}/{#PAGE}`,
    headers: [{ name: "X-Token", value: "{$TOKEN}" }],
    status_codes: "201",
    delay: "1h",
  };
  const made = await callAs<Created>(page, "itemprototype.create", prototype);
  const path = `hosts/${hostid}/discovery/${ruleid}/prototypes/${made["itemids"]?.[0]}`;
  await page.goto(`${target.url}/${path}`);
  await press("Test");
  const dialog = page.getByRole("dialog", { name: "Test preprocessing" });
  const ask = dialog.getByRole("button", { name: "Get value from host" });
  await ask.click();
  await dialog.getByText("Enter values of {#PAGE} first.").waitFor();
  await dialog.getByLabel("Value of {#PAGE}").fill("news");
  await dialog.getByLabel("Value of {$TOKEN}").fill("t2");
  await ask.click();
  await dialog.getByText("Just retrieved.").waitFor();
  const answer = JSON.parse(await dialog.getByLabel("Value", { exact: true }).inputValue());
  assert.deepEqual(answer, { method: "GET", url: "/news", token: "t2", body: "" });
  await shot(page, "item-prototype-test");
  assert.deepEqual(browser.complaints, []);
});
