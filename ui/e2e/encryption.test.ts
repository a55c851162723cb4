// Encryption of a host in its form: what is set is shown without the key, and kept unless it is typed again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const HOST = `encrypted-${Date.now().toString(36)}`;
const KEY = "00112233445566778899aabbccddeeff";

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const made = await callAs(page, "host.create", { host: HOST, groups: [{ groupid: "2" }] });
  hostid = (made as Readonly<Record<string, readonly string[]>>)["hostids"]?.[0] ?? "";
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const to = () => page.getByRole("radiogroup", { name: "Connections to the host" });
const from = () => page.getByRole("group", { name: "Connections from the host" });
const field = (name: string) => page.getByRole("textbox", { name, exact: true });

async function save(): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
}

/** Saves what the server takes: the form closes when it has answered. */
async function saved(): Promise<void> {
  await save();
  await page.waitForURL((url) => !url.pathname.endsWith("/configuration"));
}

async function stored(): Promise<unknown> {
  const output = ["tls_connect", "tls_accept", "tls_issuer", "tls_subject"];
  const hosts = await callAs(page, "host.get", { hostids: [hostid], output });
  return (hosts as unknown as readonly unknown[])[0];
}

async function open(): Promise<void> {
  await page.goto(`${target.url}/hosts/${hostid}/configuration`);
  await to().waitFor();
  await to().scrollIntoViewIfNeeded();
}

test("a key is given, shown as set, and kept", async () => {
  await open();
  await to().getByText("PSK", { exact: true }).click();
  await from().getByText("PSK", { exact: true }).click();
  await from().getByText("No encryption", { exact: true }).click();
  await save();
  await page.getByText("an identity is required").waitFor();
  await field("PSK identity").fill("of the test");
  await page.getByLabel("PSK", { exact: true }).last().fill(KEY);
  await shot(page, "host-encryption-dark");
  await saved();
  await open();
  const wanted = { hostid, tls_connect: "2", tls_accept: "2", tls_issuer: "", tls_subject: "" };
  assert.deepEqual(await stored(), wanted);
  await becomes(() => field("PSK identity").inputValue(), "");
  const hint = async () => (await field("PSK identity").getAttribute("placeholder")) ?? "";
  await becomes(async () => (await hint()).startsWith("set"), true);
  await page.emulateMedia({ colorScheme: "light" });
  await shot(page, "host-encryption-light");
});

test("certificates have names", async () => {
  await open();
  await to().getByText("Certificate", { exact: true }).click();
  await from().getByText("Certificate", { exact: true }).click();
  await field("Subject").fill("CN=a");
  await shot(page, "host-encryption-certificate");
  await saved();
  await open();
  const wanted = { hostid, tls_connect: "4", tls_accept: "6", tls_issuer: "", tls_subject: "CN=a" };
  assert.deepEqual(await stored(), wanted);
});
