// How soon the pages show something on a large server: node scripts/measure-pages.mjs URL USER PASSWORD [RUNS]
// Prints medians as JSON. "first rows" counts from the start of the navigation of a loaded browser cache.
import { chromium } from "playwright-core";

const [url, user, password, runs = "4"] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.SAKER_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const page = await context.newPage();
await page.addInitScript(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) globalThis.longTasks.push(it.duration);
  }).observe({ entryTypes: ["longtask"] });
  globalThis.firstRows = new Promise((done) => {
    const look = () => {
      const rows = document.querySelectorAll('[role="row"], tbody tr');
      if (rows.length > 3) done(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });
  globalThis.allRows = new Promise((done) => {
    const look = () => {
      const title = document.querySelector("h1")?.parentElement?.textContent ?? "";
      if (/[\d,]{4,} problems/.test(title)) done(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });
});
await page.goto(url);
await page.getByRole("textbox", { name: "User name" }).fill(user);
await page.getByLabel("Password", { exact: true }).fill(password);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("navigation", { name: "Main" }).waitFor();

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const worst = () => page.evaluate(() => Math.max(0, ...globalThis.longTasks));
const figures = {};
async function measure(name, run) {
  const results = [];
  for (let n = 0; n <= Number(runs); n += 1) {
    const result = await run();
    // the first one fills the cache
    if (n > 0) results.push(result);
  }
  for (const key of Object.keys(results[0] ?? {})) {
    figures[`${name}_${key}`] = Math.round(median(results.map((it) => it[key])));
  }
}

async function fresh(path) {
  await page.goto("about:blank");
  const bytes = { sum: 0 };
  const note = async (response) => {
    const sizes = await response
      .request()
      .sizes()
      .catch(() => undefined);
    bytes.sum += sizes?.responseBodySize ?? 0;
  };
  page.on("requestfinished", (request) => void request.response().then((it) => it && note(it)));
  await page.goto(`${url}${path}`, { waitUntil: "commit" });
  const first = await page.evaluate(() => globalThis.firstRows);
  return { first, bytes };
}

await measure("problems", async () => {
  const { first } = await fresh("/problems");
  const all = await page.evaluate(() => globalThis.allRows);
  await page.waitForTimeout(1000);
  return { first_rows_ms: first, all_rows_ms: all, worst_task_ms: await worst() };
});
await measure("problems_by_click", async () => {
  await page.goto(`${url}/hosts`);
  await page.getByRole("heading", { name: "Hosts" }).waitFor();
  await page.waitForTimeout(2000);
  await page.evaluate(() => (globalThis.longTasks = []));
  const took = await page.evaluate(async () => {
    const from = performance.now();
    document.querySelector('nav a[href^="/problems"]').click();
    for (;;) {
      await new Promise(requestAnimationFrame);
      const title = document.querySelector("h1")?.textContent ?? "";
      if (title.startsWith("Problems") && document.querySelectorAll('[role="row"]').length > 3) {
        return performance.now() - from;
      }
    }
  });
  await page.waitForTimeout(3000);
  return { first_rows_ms: took, worst_task_ms: await worst() };
});
await measure("overview", async () => {
  const { first } = await fresh("/");
  await page.waitForTimeout(2000);
  return { first_rows_ms: first, worst_task_ms: await worst() };
});
await measure("typing", async () => {
  await page.goto(`${url}/problems`);
  await page.evaluate(() => globalThis.allRows);
  await page.waitForTimeout(1000);
  await page.evaluate(() => (globalThis.longTasks = []));
  await page.getByRole("searchbox").pressSequentially("load 1", { delay: 250 });
  await page.waitForTimeout(1000);
  return { worst_task_ms: await worst() };
});
console.log(JSON.stringify({ bench: "pages_browser", ...figures }));
await browser.close();
