// Pictures of every page, for people to look at: `npm run pictures`. In both schemes, the main pages also as on a
// telephone and in Russian. What axe finds, what the console said and what a machine can see is reported: pages larger than
// the screen, `undefined` and `NaN`, cut names of buttons and columns. Ends with 1 when there is any.
//
// SAKER_BIN or SAKER_E2E_URL as for the tests (target.ts); a given server keeps the world that is made in it.
// Arguments: words that names of pictures have in them (`problems`, `=host-overview` for exactly one), and
// --sets=dark,light,phone,russian.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { barriers, callAs, signIn } from "../browser";
import { begin } from "../journeys/journey";
import { rest } from "./rest";
import { type Stop, stopsOf } from "./stops";
import { makeWorld } from "./world";

const OUTPUT = fileURLToPath(new URL("../../test-output/pictures", import.meta.url));
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Set {
  readonly name: string;
  readonly scheme: "dark" | "light";
  readonly size: { readonly width: number; readonly height: number };
  readonly lang: string;
  readonly isMainOnly: boolean;
}

const SETS: readonly Set[] = [
  { name: "dark", scheme: "dark", size: DESK, lang: "en_US", isMainOnly: false },
  { name: "light", scheme: "light", size: DESK, lang: "en_US", isMainOnly: false },
  { name: "phone", scheme: "light", size: PHONE, lang: "en_US", isMainOnly: true },
  { name: "russian", scheme: "dark", size: DESK, lang: "ru_RU", isMainOnly: true },
];

const args = process.argv.slice(2);
const wanted = args.filter((it) => !it.startsWith("--"));
const setNames = args.find((it) => it.startsWith("--sets="))?.slice("--sets=".length);

function isWanted({ name }: Stop): boolean {
  const fits = (it: string) => (it.startsWith("=") ? name === it.slice(1) : name.includes(it));
  return wanted.length === 0 || wanted.some(fits);
}

/** What a machine can see of what is wrong with a page. */
async function blemishes(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) {
      found.push(`larger than the screen: ${scrollWidth} × ${scrollHeight}`);
    }
    // biome-ignore lint/performance/useDomNodeTextContent: what is not shown is not meant
    const text = document.body.innerText;
    for (const it of text.match(/\b(undefined|NaN|Infinity|\[object Object\]|null)\b/g) ?? []) {
      found.push(`says ${it}`);
    }
    const named = "button, th, label, [role=tab], [role=columnheader], nav a, h1, h2";
    for (const it of document.querySelectorAll(named)) {
      const isCut = it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0;
      if (isCut && getComputedStyle(it).overflow !== "visible" && it.closest("[title]") === null) {
        found.push(`cut: ${it.tagName} ${it.textContent}`);
      }
    }
    return found;
  });
}

const journey = await begin();
const { page, browser, target } = journey;
let wrong = 0;
try {
  await signIn(page, target);
  const made = await journey.call<string>("host.get", {
    countOutput: true,
    filter: { host: "web-1.fra" },
  });
  if (Number(made) === 0) await makeWorld(journey);
  const stops = (await stopsOf(journey.call)).filter(isWanted);
  for (const set of SETS.filter(({ name }) => setNames?.split(",").includes(name) ?? true)) {
    mkdirSync(join(OUTPUT, set.name), { recursive: true });
    await page.setViewportSize(set.size);
    await page.emulateMedia({ colorScheme: set.scheme });
    await callAs(page, "user.update", { userid: "1", lang: set.lang });
    for (const stop of stops.filter(({ isMain }) => isMain === true || !set.isMainOnly)) {
      const found = await take(set, stop);
      // at once: a run takes minutes
      for (const it of found) console.log(`${set.name}/${stop.name}: ${it}`);
      wrong += found.length;
    }
  }
  await callAs(page, "user.update", { userid: "1", lang: "default" });
} finally {
  await browser.close();
  await target.stop();
}
process.exit(wrong === 0 ? 0 : 1);

async function take(set: Set, { name, path, act }: Stop): Promise<readonly string[]> {
  const before = browser.complaints.length;
  const found: string[] = [];
  try {
    await page.goto(`${target.url}${path}`);
    await rest(page);
    // what is opened is called in English
    if (act !== undefined && set.lang === "en_US") {
      await act(page);
      await rest(page);
    }
    found.push(...(await barriers(page)), ...(await blemishes(page)));
  } catch (error) {
    found.push(error instanceof Error ? error.message : String(error));
  }
  await page.screenshot({ path: join(OUTPUT, set.name, `${name}.png`) });
  return [...found, ...browser.complaints.slice(before)];
}
