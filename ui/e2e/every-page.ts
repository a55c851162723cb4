// One size a file (pages-*.test.ts): every page with the data of a running server, dark and light: nothing may break the
// policy, fail in the console, or be larger than the screen. Screenshots are kept for people to look at.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shot, signIn } from "./browser";
import { openTarget, type Target } from "./target";
import { tour } from "./tour";

interface Stop {
  readonly name: string;
  readonly path: string;
  /** the page's own heading, where it is known beforehand */
  readonly title?: string;
}

const FIXED: readonly Stop[] = [
  ...tour(),
  { name: "docs-page", path: "/docs/from-problem-to-person", title: "User guide" },
  { name: "docs-api-host", path: "/docs/api/host", title: "API reference" },
];

const SIZES = {
  wide: { width: 1440, height: 900 },
  small: { width: 1280, height: 720 },
  narrow: { width: 390, height: 844 },
} as const;
const SCHEMES = ["dark", "light"] as const;

let target: Target;
let browser: Browser;
let page: Page;
let stops: readonly Stop[] = [];

function call(method: string, params: unknown): Promise<readonly Record<string, string>[]> {
  return callAs(page, method, params);
}

async function firstId(method: string, id: string, params: object): Promise<string | undefined> {
  const [found] = await call(method, { output: [id], limit: 1, ...params });
  return found?.[id];
}

/** Pages of the first host and template that have what the page is about. */
async function ownPages(): Promise<Stop[]> {
  const found: Stop[] = [];
  const [host] = await call("host.get", { output: ["hostid"], limit: 1 });
  const [template] = await call("template.get", {
    output: ["templateid"],
    search: { name: "Linux" },
    limit: 1,
  });
  const owners = [
    ["host", `/hosts/${host?.["hostid"]}`, host?.["hostid"]],
    ["template", `/templates/${template?.["templateid"]}`, template?.["templateid"]],
  ] as const;
  for (const [kind, base, ownerid] of owners) {
    if (ownerid === undefined) continue;
    const hostids = [ownerid];
    found.push(
      ...(kind === "host" ? ["graphs", "latest", "problems"] : []).map((tab) => ({
        name: `${kind}-${tab}`,
        path: `${base}/${tab}`,
      })),
      ...["items", "triggers", "discovery", "configuration"].map((tab) => ({
        name: `${kind}-${tab}`,
        path: `${base}/${tab}`,
      })),
      { name: `${kind}-item-new`, path: `${base}/items/new`, title: "New item" },
      { name: `${kind}-trigger-new`, path: `${base}/triggers/new`, title: "New trigger" },
      { name: `${kind}-rule-new`, path: `${base}/discovery/new`, title: "New discovery rule" },
    );
    const item = await firstId("item.get", "itemid", { hostids });
    const trigger = await firstId("trigger.get", "triggerid", { hostids });
    const rule = await firstId("discoveryrule.get", "itemid", { hostids });
    if (item !== undefined) found.push({ name: `${kind}-item`, path: `${base}/items/${item}` });
    if (trigger !== undefined) {
      found.push({ name: `${kind}-trigger`, path: `${base}/triggers/${trigger}` });
    }
    if (rule === undefined) continue;
    found.push({ name: `${kind}-rule`, path: `${base}/discovery/${rule}` });
    const discoveryids = [rule];
    const itemPrototype = await firstId("itemprototype.get", "itemid", { discoveryids });
    const triggerPrototype = await firstId("triggerprototype.get", "triggerid", { discoveryids });
    const prototypes = `${base}/discovery/${rule}`;
    if (itemPrototype !== undefined) {
      found.push({
        name: `${kind}-item-prototype`,
        path: `${prototypes}/prototypes/${itemPrototype}`,
      });
    }
    if (triggerPrototype !== undefined) {
      const path = `${prototypes}/trigger-prototypes/${triggerPrototype}`;
      found.push({ name: `${kind}-trigger-prototype`, path });
    }
    found.push({
      name: `${kind}-rule-prototype-new`,
      path: `${prototypes}/rule-prototypes/new`,
      title: "New rule prototype",
    });
    const path = `${prototypes}/host-prototypes/new`;
    found.push({ name: `${kind}-host-prototype-new`, path, title: "New host prototype" });
  }
  return found;
}

/** Looks at a page in both schemes: it is opened in the first and stays open when the second takes its place. */
async function look(size: string, { name, path, title }: Stop): Promise<void> {
  await page.emulateMedia({ colorScheme: SCHEMES[0] });
  await page.goto(`${target.url}${path}`);
  const heading = page.getByRole("heading", { level: 1, ...(title ? { name: title } : {}) });
  await heading.first().waitFor();
  await page.waitForLoadState("load");
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      (scheme) => getComputedStyle(document.documentElement).colorScheme === scheme,
      colorScheme,
    );
    await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
    // charts are drawn in the frame after their data
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await shot(page, `${size}-${colorScheme}-${name}`);
    const { wanted, screen } = await page.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
      return { wanted: [scrollWidth, scrollHeight], screen: [clientWidth, clientHeight] };
    });
    // parts of a page scroll, the window does not
    assert.deepEqual(wanted, screen, `${path} is larger than the screen`);
  }
}

/** Tests every page of a size, on a server and in a browser of their own. */
export function testPages(size: keyof typeof SIZES): void {
  before(async () => {
    target = await openTarget();
    browser = await openBrowser();
    page = browser.page;
    await signIn(page, target);
    stops = [...FIXED, ...(await ownPages())];
  });

  after(async () => {
    await browser?.close();
    await target?.stop();
  });

  test(`every page fits and keeps to the policy, dark and light: ${size}`, async () => {
    await page.setViewportSize(SIZES[size]);
    const wrong: string[] = [];
    for (const stop of stops) {
      const before = browser.complaints.length;
      await look(size, stop).catch((error: Error) => wrong.push(`${stop.path}: ${error.message}`));
      wrong.push(...browser.complaints.slice(before).map((it) => `${stop.path}: ${it}`));
    }
    assert.deepEqual(wrong, []);
  });

  test("a complaint would have been noticed", async () => {
    const before = browser.complaints.length;
    await page.evaluate(() => {
      const style = document.createElement("style");
      style.textContent = "body { color: red }";
      document.head.append(style);
    });
    await page.waitForFunction(() => true);
    assert.ok(browser.complaints.slice(before).some((it) => it.includes("policy")));
  });
}
