// Forms and lists of the configuration: an expression in colours, templates changed and cloned together.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `config-${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

type Ids = Readonly<Record<string, readonly string[]>>;
const call = (method: string, params: unknown): Promise<Ids> => callAs(page, method, params);

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const host = await call("host.create", {
    host: HOST,
    groups: [{ groupid: "2" }],
    macros: [{ macro: "{$LOAD.MAX}", value: "5" }],
  });
  hostid = host["hostids"]?.[0] ?? "";
  await call("item.create", [
    { hostid, name: "Load", key_: "load[all,avg1]", type: 2, value_type: 0 },
    { hostid, name: "Log", key_: "log", type: 2, value_type: 4 },
  ]);
});

after(async () => {
  await browser.close();
  await target.stop();
});

/** The export orders macros by name. */
const sorted = ({ macros, ...rest }: Counted) => ({
  ...rest,
  templateid: "",
  name: "",
  macros: [...macros].sort((a, b) => a.macro.localeCompare(b.macro)),
});

interface Counted {
  readonly templateid: string;
  readonly name: string;
  readonly items: string;
  readonly triggers: string;
  readonly macros: readonly { readonly macro: string }[];
}

const COUNTS = {
  selectItems: "count",
  selectTriggers: "count",
  selectDiscoveries: "count",
  selectGraphs: "count",
  selectDashboards: "count",
  selectHttpTests: "count",
  selectTags: ["tag", "value"],
  selectMacros: ["macro", "value", "description", "type"],
  selectParentTemplates: ["name"],
} as const;

test("an expression is drawn in colours, and its error is underlined where it is", async () => {
  await page.goto(`${target.url}/hosts/${hostid}/triggers/new`);
  const expression = page.getByRole("textbox", { name: /^Expression/ });
  const text = `avg(/${HOST}/load[all,avg1],5m) > {$LOAD.MAX}\nand not find(/${HOST}/log,,"like","rotated") = 1`;
  await expression.fill(text);
  await page.getByText("checked by the server").waitFor();
  const colored = page.locator("pre[aria-hidden]").first();
  const pieces = await colored
    .locator("span[data-kind]")
    .evaluateAll((all) => all.map((it) => `${it.getAttribute("data-kind")}:${it.textContent}`));
  for (const piece of [
    "function:avg",
    `host:/${HOST}`,
    "key:/load",
    "key:[all,avg1]",
    "number:5m",
    "macro:{$LOAD.MAX}",
    "operator:not",
    'text:"rotated"',
  ]) {
    assert.ok(pieces.includes(piece), `${piece} in ${pieces.join(" ")}`);
  }
  // letters lie where those of the field are: both are as wide and as high
  const [field, drawn] = [await expression.boundingBox(), await colored.boundingBox()];
  assert.deepEqual(field, drawn);
  await expression.press("Control+End");
  await shots(page, "expression-colors", { narrow: true, axe: true });
  // what the server does not know is underlined as a whole
  await expression.fill(`avg(/${HOST}/nothing,5m)>1`);
  const wrong = colored.locator('[class*="wrong"]');
  await wrong.waitFor();
  await page.getByRole("button", { name: /\(at \d+\)$/ }).waitFor();
  await expression.fill(`avg(/${HOST}/load[all,avg1],5m)>`);
  await wrong.waitFor();
  await shots(page, "expression-error", { axe: true });
  await expression.fill("");
  assert.deepEqual(browser.complaints, []);
});

test("a long expression grows the field, and wraps as the field does", async () => {
  const line = `(last(/${HOST}/load[all,avg1])>{$LOAD.MAX} or 1=2)`;
  const expression = page.getByRole("textbox", { name: /^Expression/ });
  await expression.fill(Array.from({ length: 12 }, () => line).join(" and "));
  const colored = page.locator("pre[aria-hidden]").first();
  const [field, drawn] = [await expression.boundingBox(), await colored.boundingBox()];
  assert.deepEqual(field, drawn);
  assert.equal(
    await expression.evaluate((it) => it.scrollHeight - it.clientHeight),
    0,
    "nothing scrolls within the field",
  );
  await shots(page, "expression-long");
  await expression.fill("");
});

test("a template is cloned with all that it has, and with its settings only", async () => {
  const [original] = await callAs<readonly Counted[]>(page, "template.get", {
    filter: { name: "Linux by agent" },
    output: ["templateid", "name"],
    ...COUNTS,
  });
  assert.ok(original, "it is bundled");
  await page.goto(`${target.url}/templates/${original.templateid}/configuration`);
  await page.getByRole("button", { name: "Clone", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Template name/ }).fill(`Whole ${RUN}`);
  await dialog.getByRole("textbox", { name: /^Visible name/ }).fill(`Whole copy ${RUN}`);
  await shots(page, "template-clone", { axe: true });
  await dialog.getByRole("button", { name: "Clone", exact: true }).click();
  await page.getByRole("navigation", { name: `Template Whole copy ${RUN}` }).waitFor();
  const [whole] = await callAs<readonly Counted[]>(page, "template.get", {
    filter: { host: `Whole ${RUN}` },
    output: ["templateid", "name"],
    ...COUNTS,
  });
  assert.ok(Number(original.items) > 10 && Number(original.triggers) > 5, "there is something");
  assert.ok(whole, "it is there");
  assert.deepEqual(sorted(whole), sorted(original));
  // another of the name is refused
  await page.goto(`${target.url}/templates?q=Whole+copy`);
  await page.getByRole("checkbox", { name: "Pick", exact: true }).first().check();
  await page.getByRole("button", { name: "1 template" }).click();
  await page.getByRole("menuitem", { name: "Clone …" }).click();
  await dialog.getByRole("textbox", { name: /^Template name/ }).fill(`Whole ${RUN}`);
  await dialog.getByRole("button", { name: "Clone", exact: true }).click();
  await dialog.getByText("A template with this name already exists.").waitFor();
  await dialog.getByRole("textbox", { name: /^Template name/ }).fill(`Settings ${RUN}`);
  await dialog.getByRole("textbox", { name: /^Visible name/ }).fill("");
  await dialog.getByRole("checkbox", { name: /With all its objects/ }).uncheck();
  await dialog.getByRole("button", { name: "Clone", exact: true }).click();
  await page.getByRole("navigation", { name: `Template Settings ${RUN}` }).waitFor();
  const [settings] = await callAs<readonly Counted[]>(page, "template.get", {
    filter: { host: `Settings ${RUN}` },
    output: ["templateid", "name"],
    ...COUNTS,
  });
  assert.equal(settings?.items, "0");
  assert.equal(settings?.macros.length, original.macros.length);
});

test("templates are changed together", async () => {
  await page.goto(`${target.url}/templates?q=${RUN}`);
  await page.getByRole("link", { name: `Settings ${RUN}` }).waitFor();
  await page.getByRole("checkbox", { name: "Pick all" }).check();
  await page.getByRole("button", { name: "2 templates" }).click();
  await page.getByRole("menuitem", { name: "Mass update …" }).click();
  const dialog = page.getByRole("dialog", { name: "Update 2 templates" });
  await dialog.getByRole("checkbox", { name: "Description" }).check();
  await dialog.getByRole("textbox", { name: "New description" }).fill("Changed together");
  await dialog.getByRole("checkbox", { name: "Tags" }).check();
  await dialog.getByRole("button", { name: "Add tag" }).click();
  await dialog.getByRole("textbox", { name: "Tag 1", exact: true }).fill("team");
  await dialog.getByRole("textbox", { name: "Value of tag 1" }).fill("web");
  await shots(page, "templates-mass", { axe: true });
  // a click next to the dialog loses nothing: it asks
  await page.mouse.click(700, 870);
  await page.getByRole("button", { name: "Stay", exact: true }).click();
  await becomes(
    () => dialog.getByRole("textbox", { name: "New description" }).inputValue(),
    "Changed together",
  );
  await dialog.getByRole("button", { name: "Update", exact: true }).click();
  await page.getByText("2 templates updated").waitFor();
  const changed = await callAs<
    readonly { description: string; tags: readonly { tag: string; value: string }[] }[]
  >(page, "template.get", {
    search: { host: RUN },
    output: ["description"],
    selectTags: ["tag", "value"],
  });
  assert.equal(changed.length, 2);
  for (const { description, tags } of changed) {
    assert.equal(description, "Changed together");
    assert.ok(tags.some(({ tag, value }) => tag === "team" && value === "web"));
  }
  assert.deepEqual(browser.complaints, []);
});

test("menus hold entries only, and the first one has the focus", async () => {
  const check = async (name: string) => {
    await page.getByRole("menuitem").first().waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "menuitem");
    assert.deepEqual(await barriers(page), [], name);
    await page.keyboard.press("ArrowDown");
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute("role")),
      "menuitem",
    );
    await page.keyboard.press("Escape");
    await page.getByRole("menuitem").first().waitFor({ state: "detached" });
  };
  await page.goto(`${target.url}/problems`);
  await page.getByRole("button", { name: "List", exact: true }).click();
  await check("list of problems");
  await page.getByRole("button", { name: "User menu" }).click();
  await check("account");
  await page.goto(`${target.url}/templates`);
  await page.getByRole("checkbox", { name: "Pick", exact: true }).first().check();
  await page.getByRole("button", { name: "1 template" }).click();
  await check("picked templates");
  await page.goto(`${target.url}/dashboards`);
  assert.deepEqual(browser.complaints, []);
});
