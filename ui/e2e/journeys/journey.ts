// What all journeys need: a server of their own whose world is made before anybody signs in, a browser that begins
// at "/", and stops where the page is looked at in both schemes and by axe.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { basename } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Browser, openBrowser, shot, shots } from "../browser";
import { STEP_MS } from "../progress";
import { openTarget, type Sent, type Target, type TargetOptions } from "../target";

/** Different from what an earlier run left on a server that is given. */
export const RUN = Date.now().toString(36);
// no page has so many places to go to before the one that a person wants next
const TABS_MAX = 150;

export interface Account {
  readonly username: string;
  readonly password: string;
}

export interface Journey {
  readonly target: Target;
  readonly browser: Browser;
  readonly page: Page;
  readonly admin: Account;
  /** a call of the API as the administrator, or as whom the token is of: what was there before the person came */
  readonly call: <Answer>(method: string, params: unknown, token?: string) => Promise<Answer>;
  /** a session of the API */
  readonly login: (account: Account) => Promise<string>;
  /** sends values as soon as the server knows their items */
  readonly send: (host: string, key: string, value: string, clock?: number) => Promise<void>;
  readonly sendAll: (values: readonly Sent[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function begin(options: TargetOptions = {}): Promise<Journey> {
  const target = await openTarget(options);
  const admin = { username: "Admin", password: target.password };
  const call = async <Answer>(method: string, params: unknown, token?: string): Promise<Answer> => {
    const bearer = token ?? (method === "user.login" ? undefined : await adminSession());
    const answer = await fetch(`${target.url}/api_jsonrpc.php`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json-rpc",
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as {
      result: Answer;
      error?: { data: string };
    };
    if (error !== undefined) throw new Error(`${method}: ${error.data}`);
    return result;
  };
  const login = (account: Account) => call<string>("user.login", account);
  let session: Promise<string> | undefined;
  const adminSession = () => {
    session ??= login(admin);
    return session;
  };
  const sendAll = async (values: readonly Sent[]) => {
    assert.ok(target.sendAll, "a trapper address is known");
    const deadline = Date.now() + STEP_MS;
    for (;;) {
      try {
        return await target.sendAll(values);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  };
  const browser = await openBrowser();
  return {
    target,
    browser,
    page: browser.page,
    admin,
    call,
    login,
    send: (host, key, value, clock) => sendAll([{ host, key, value, clock }]),
    sendAll,
    end: async () => {
      // where it ended, wherever that was
      const name = basename(process.argv[1] ?? "", ".test.ts");
      await shot(browser.page, `journey-end-${name}`).catch(() => {});
      await browser.close();
      await target.stop();
    },
  };
}

/** From "/" with nothing but a keyboard. */
export async function arrive(page: Page, url: string, account: Account): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type(account.username);
  await page.keyboard.press("Tab");
  await page.keyboard.type(account.password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

/** Goes there by Tab, as one does without a mouse. */
export async function reach(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let n = 0; n < TABS_MAX; n += 1) {
    if (await wanted.evaluate((it) => it === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`not reached by Tab: ${await wanted.evaluate((it) => it.outerHTML.slice(0, 200))}`);
}

/** Goes there by Tab and presses Enter. */
export async function enter(page: Page, wanted: Locator): Promise<void> {
  await reach(page, wanted);
  await page.keyboard.press("Enter");
}

/** Goes to a page, host or template as the palette finds it. */
export async function jump(page: Page, to: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search pages, hosts and templates").fill(to);
  const hit = page.getByRole("dialog").getByRole("button", { name: new RegExp(`^${literal(to)}`) });
  await hit
    .or(page.getByRole("option", { name: to }))
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A place where the person looks: pictures in both schemes, and nothing in the way of anybody. */
export async function stop(page: Page, name: string): Promise<void> {
  await shots(page, `journey-${name}`, { axe: true });
}

/** One of a list that opens. */
export async function choose(page: Page, label: string | RegExp, option: string): Promise<void> {
  const exact = typeof label === "string";
  await page.getByRole("combobox", { name: label, exact }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** One of a list that is searched, and several may be chosen. */
export async function pick(page: Page, label: string | RegExp, option: string): Promise<void> {
  const field = page.getByRole("combobox", { name: label });
  await field.fill(option);
  await page.getByRole("option", { name: option, exact: true }).click();
  await page.keyboard.press("Escape");
}

/** A port that nothing listens at, below 32768: zabbix_agentd takes no other. */
export async function freePort(address: string): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_768; port += 1) {
    const isFree = await new Promise<boolean>((done) => {
      const server = createServer();
      server.on("error", () => done(false));
      server.listen(port, address, () => server.close(() => done(true)));
    });
    if (isFree) return port;
  }
  throw new Error("there is no free port");
}

export const now = () => Math.floor(Date.now() / 1000);

/** Until it holds; otherwise its error says what it waited for. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
