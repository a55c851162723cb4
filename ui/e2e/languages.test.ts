// The pages in Russian: chosen in one's profile, and on the login page. No text of the catalogue may stay English,
// nothing may keep people from using the pages, and nothing may be cut: the pictures are for people to look at.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const PARTS = fileURLToPath(new URL("../src/lang/ru/parts/", import.meta.url));

// data of a new server that is called like something of the pages
const DATA = [
  "Admin",
  "Disabled",
  "E-mail",
  "Internal",
  "Discovery",
  "Global view",
  "Script",
  "SMS",
];

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";
/** English texts that Russian says otherwise */
let english: readonly string[] = [];

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const texts = await catalogue();
  english = texts
    .filter(([text, translated]) => text !== translated && !DATA.includes(text))
    .map(([text]) => text);
  hostid = await prepared();
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function catalogue(): Promise<[string, string][]> {
  const all: [string, string][] = [];
  for (const name of readdirSync(PARTS)) {
    const { PART } = await import(`${PARTS}${name}`);
    all.push(...(Object.entries(PART.texts) as [string, string][]));
  }
  return all;
}

/** A host with values, and a problem of it. */
async function prepared(): Promise<string> {
  const call = <T>(method: string, params: unknown) => callAs<T>(page, method, params);
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", { name: "Офис" });
  const groups = groupids.map((groupid) => ({ groupid }));
  const { hostids } = await call<{ hostids: string[] }>("host.create", {
    host: "office-01",
    name: "Сервер в офисе",
    groups,
    interfaces: [{ type: 1, main: 1, useip: 1, ip: "127.0.0.1", dns: "", port: "10050" }],
  });
  const [created = ""] = hostids;
  for (const key of ["load", "queue"]) {
    await call("item.create", {
      hostid: created,
      name: `Показатель ${key}`,
      key_: key,
      type: 2,
      value_type: 3,
    });
  }
  await call("trigger.create", {
    description: "Очередь на {HOST.NAME} растёт",
    expression: "last(/office-01/queue)>10",
    priority: 4,
  });
  await target.send?.("office-01", "load", "42");
  await target.send?.("office-01", "queue", "1234");
  for (;;) {
    const open = await call<unknown[]>("problem.get", { hostids });
    if (open.length > 0) return created;
    await target.send?.("office-01", "queue", "1234");
  }
}

/** Texts, labels and tips on the page that the catalogue has in Russian, and the page in English. */
async function leftEnglish(): Promise<readonly string[]> {
  return page.evaluate((texts) => {
    const known = new Set(texts);
    const seen = new Set<string>();
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest("code, pre, kbd, time, script, style") !== null) continue;
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) seen.add((node.textContent ?? "").trim());
      }
      for (const name of ["aria-label", "title", "placeholder"]) {
        seen.add((element.getAttribute(name) ?? "").trim());
      }
    }
    return [...seen].filter((it) => it.length > 3 && known.has(it));
  }, english);
}

/** Parts that show less than their text, and have no tip that shows all of it. */
async function cutTexts(): Promise<readonly string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "button, th, label, [role=tab], [role=columnheader], nav a, input",
      ),
    ]
      .filter((it) => it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0)
      .filter((it) => it.closest("[title]") === null)
      .map((it) => `${it.tagName} ${it instanceof HTMLInputElement ? it.value : it.textContent}`),
  );
}

async function rest(): Promise<void> {
  await page.waitForLoadState("load");
  await page.waitForFunction(() => document.querySelector('[aria-label="Загрузка"]') === null);
}

test("a profile's language is that of the pages", async () => {
  await becomes(() => page.locator("html").getAttribute("lang"), "en");
  await page.goto(`${target.url}/profile`);
  await page.getByRole("combobox", { name: "Language" }).click();
  await page.getByRole("option", { name: "Русский (ru_RU)" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("navigation", { name: "Основное" }).waitFor();
  await becomes(() => page.locator("html").getAttribute("lang"), "ru");
  // and again for a user who comes back
  await page.reload();
  await page.getByRole("navigation", { name: "Основное" }).waitFor();
});

const PAGES: readonly (readonly [name: string, path: string, heading: string])[] = [
  ["overview", "/", "Обзор"],
  ["problems", "/problems", "Проблемы"],
  ["hosts", "/hosts", "Узлы сети"],
  ["latest", "/latest", "Последние данные"],
  ["dashboards", "/dashboards", "Панели"],
  ["host-new", "/hosts/new", "Новый узел сети"],
  ["profile", "/profile", "Мой профиль"],
  ["host", "/hosts/HOST/overview", "Сервер в офисе"],
  ["host-items", "/hosts/HOST/items", "Сервер в офисе"],
  ["host-configuration", "/hosts/HOST/configuration", "Сервер в офисе"],
  ["item-new", "/hosts/HOST/items/new", "Новый элемент данных"],
  ["trigger-new", "/hosts/HOST/triggers/new", "Новый триггер"],
  ["templates", "/templates", "Шаблоны"],
  ["maintenance-new", "/maintenance/new", "Новое обслуживание"],
  ["action-new", "/actions/new", "Новое действие"],
  ["mediatypes", "/mediatypes", "Способы оповещений"],
  ["users", "/users", "Пользователи"],
  ["role-new", "/roles/new", "Новая роль пользователя"],
  ["settings", "/settings", "Общие настройки"],
  ["system", "/system", "Состояние системы"],
];

const NOTHING = { left: [], cut: [], complaints: [] };

for (const [name, path, heading] of PAGES) {
  test(`in Russian: ${name}`, async () => {
    const before = browser.complaints.length;
    await page.goto(`${target.url}${path.replace("HOST", hostid)}`);
    await page.getByText(heading).first().waitFor({ state: "attached" });
    await rest();
    const [left, cut] = [await leftEnglish(), await cutTexts()];
    await shots(page, `russian-${name}`, { narrow: true });
    assert.deepEqual({ left, cut, complaints: browser.complaints.slice(before) }, NOTHING);
    assert.deepEqual(await barriers(page), []);
  });
}

test("counts and severities are said in Russian", async () => {
  await page.goto(`${target.url}/problems`);
  await page.getByText("Очередь на Сервер в офисе растёт").first().waitFor();
  // the server may have problems of its own by now
  const note = await page
    .getByText(/^\d+ проблем[аы]?$/)
    .first()
    .textContent();
  const [count = "", said] = (note ?? "").split(" ");
  const problems = { one: "проблема", few: "проблемы" } as Record<string, string>;
  assert.equal(said, problems[new Intl.PluralRules("ru").select(Number(count))] ?? "проблем");
  await page.goto(`${target.url}/hosts`);
  const n = Number(await callAs<string>(page, "host.get", { countOutput: true }));
  const forms = { one: "узел сети", few: "узла сети" } as Record<string, string>;
  const form = forms[new Intl.PluralRules("ru").select(n)] ?? "узлов сети";
  await page.getByText(`${n} ${form}`).first().waitFor();
});

test("the login page speaks the browser's language, or the one that is chosen there", async () => {
  await page.goto(`${target.url}/`);
  await rest();
  await page.getByRole("button", { name: "Меню пользователя" }).click();
  await page.getByRole("menuitem", { name: "Выйти" }).click();
  await page.getByRole("button", { name: "Войти" }).waitFor();
  await page.reload();
  // Chromium asks for English
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await page.getByRole("button", { name: "Русский" }).click();
  await page.getByRole("button", { name: "Войти" }).waitFor();
  await becomes(() => page.locator("html").getAttribute("lang"), "ru");
  await shots(page, "russian-login", { axe: true });
  await page.getByRole("textbox", { name: "Имя пользователя" }).fill("Admin");
  await page.getByLabel("Пароль", { exact: true }).fill("not this one");
  await page.getByRole("button", { name: "Войти" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await page.getByRole("textbox", { name: "User name" }).fill("Admin");
  await page.getByLabel("Password", { exact: true }).fill(target.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  // the user's own counts for more than what the login page spoke
  await page.getByRole("navigation", { name: "Основное" }).waitFor();
});
