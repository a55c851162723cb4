// Chromium as the tests use it: Debian's, without a sandbox (tests run as root in containers), without
// anything that would talk to the network.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import {
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import { STEP_MS, watchContext } from "./progress";

const OUTPUT = fileURLToPath(new URL("../test-output", import.meta.url));
// each costs as much as a page
const WITH_SCREENSHOTS = Boolean(process.env["SAKER_SCREENSHOTS"]);
const EXECUTABLE = process.env["SAKER_CHROMIUM"] || "/usr/bin/chromium";

export interface Browser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** what a strict policy or an unhandled failure wrote to the console */
  readonly complaints: string[];
  readonly close: () => Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "saker-e2e-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    viewport: { width: 1440, height: 900 },
    colorScheme: "dark",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  watchContext(context);
  watchRequests(context);
  // of all its pages; what is stuck is ended by `progress`, and says what it waited for before
  context.setDefaultTimeout(STEP_MS);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    // a refused login is a 401, which the browser reports by itself
    if (message.type() === "error" && !message.text().includes("status of 401")) {
      complaints.push(`console: ${message.text()}`);
    }
  });
  // says which element it was: the console's own message does not
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const element = event.target instanceof Element ? event.target.outerHTML.slice(0, 200) : "";
      console.error(
        `policy: ${event.violatedDirective} ${element} ${event.sourceFile}:${event.lineNumber}`,
      );
    });
  });
  return {
    context,
    page,
    complaints,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

interface Asked {
  readonly open: Set<Request>;
  /** how many there were so far */
  begun: number;
}

const asked = new WeakMap<BrowserContext, Asked>();

function watchRequests(context: BrowserContext): void {
  const of: Asked = { open: new Set(), begun: 0 };
  asked.set(context, of);
  context.on("request", (request) => {
    of.open.add(request);
    of.begun += 1;
  });
  context.on("requestfinished", (request) => of.open.delete(request));
  context.on("requestfailed", (request) => of.open.delete(request));
}

/**
 * Waits until the page has all that it asked for, has drawn it and asks for nothing more. "networkidle" means half a
 * second without a request: a busy machine takes as long between an answer and what the page asks for next.
 */
export async function atRest(page: Page): Promise<void> {
  const of = asked.get(page.context());
  assert.ok(of !== undefined, "a page of openBrowser");
  for (;;) {
    const before = of.begun;
    // a page has nothing to do when it is idle; answers come to it as tasks of their own, and so do parts that draw them
    await page.evaluate(async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((done) => setTimeout(done));
        await scheduler.postTask(() => undefined, { priority: "background" });
      }
    });
    const isLoading = await page
      .locator("[role=status]:is([aria-label=Loading], [aria-label=Загрузка])")
      .count();
    if (isLoading === 0 && of.open.size === 0 && of.begun === before) return;
  }
}

/** Waits until what is read of the page is as wanted: what an act changes is drawn some moments after it. */
export async function becomes<Read>(
  read: () => Promise<Read>,
  wanted: Read,
  what?: string,
): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    const now = await read();
    if (isDeepStrictEqual(now, wanted)) return;
    if (Date.now() > deadline) assert.deepEqual(now, wanted, what);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Presses a button until it brings an answer: a program that was just started does not listen at once. */
export async function pressUntil(page: Page, answer: Locator, again: Locator): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    // the button goes when the answer comes: neither is on its way now
    await atRest(page);
    if (await answer.isVisible()) return;
    assert.ok(Date.now() < deadline, "it never answered");
    await again.click();
  }
}

/** Waits until what fades or slides has ended: half-way, colours are none that people read. What goes on for ever is left out. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // what was just opened begins with the second frame
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Screenshots are kept as test output, for people to look at, where SAKER_SCREENSHOTS is set. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!WITH_SCREENSHOTS) return;
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`) });
}

/**
 * Screenshots in both schemes; with `narrow` also as on a telephone; with `axe` nothing may keep people from using
 * the page in either scheme.
 */
export async function shots(
  page: Page,
  name: string,
  { narrow = false, axe = false }: { readonly narrow?: boolean; readonly axe?: boolean } = {},
): Promise<void> {
  if (!axe && !WITH_SCREENSHOTS) return;
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await settled(page);
    await shot(page, `${name}-${scheme}`);
    if (axe) {
      assert.deepEqual(await barriers(page), [], `${name} ${scheme}`);
    }
  }
  if (narrow && WITH_SCREENSHOTS) {
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, `${name}-narrow`);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
}

export async function signIn(
  page: Page,
  target: { readonly url: string; readonly password: string },
): Promise<void> {
  await page.goto(`${target.url}/`);
  await page.getByRole("textbox", { name: "User name" }).fill("Admin");
  await page.getByLabel("Password", { exact: true }).fill(target.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Calls a method of the JSON-RPC API with the session of a page; the caller knows what it answers. */
export async function callAs<Answer>(page: Page, method: string, params: unknown): Promise<Answer> {
  return page.evaluate(
    async ([name, given]) => {
      const response = await fetch("/api_jsonrpc.php", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Requested-With": "saker" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: given }),
      });
      const { result, error } = await response.json();
      if (error !== undefined) throw new Error(`${name}: ${error.data}`);
      return result;
    },
    [method, params] as const,
  );
}

/** Does what makes the page send a change to a path, and waits until the server has taken it. */
export async function answered(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  const isChange = (method: string, url: string) =>
    method !== "GET" && new URL(url).pathname === path;
  const [response] = await Promise.all([
    page.waitForResponse((it) => isChange(it.request().method(), it.url())),
    act(),
  ]);
  assert.ok(response.ok(), `${path}: ${response.status()}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeWindow {
  readonly axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly help: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }>;
  };
}

/** What keeps people from using the page as it is now, by axe: a line for each element; none is as it has to be. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await settled(page);
  // evaluated by the debugger, which the page's policy does not bind
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as AxeWindow).axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((it) => `${id}: ${help}: ${it.html.slice(0, 200)} ${it.failureSummary ?? ""}`),
    );
  });
}
