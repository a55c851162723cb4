// What the pages take on a large server: node scripts/measure-pages.mjs URL USER PASSWORD [RUNS] [NAME …]
// Prints medians as one line of JSON; names are those below, all of them by default. Times are of the page's own clock, from
// the start of a navigation, a click or a key until the frame with what was asked for. The server is that of
// `saker-bench pages --hold`: its problems are named "Load 3 is high", its hosts "bench-123".
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { chromium } from "playwright-core";

const [url, user, password, runs = "4", ...names] = process.argv.slice(2);
const VIEWPORT = { width: 1440, height: 900 };
const browser = await chromium.launch({
  executablePath: process.env.SAKER_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/** In the page, before its scripts: what took long, and when there was something to see. */
function watch() {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const it of list.getEntries()) globalThis.longTasks.push(it.duration);
  }).observe({ entryTypes: ["longtask"] });
  const once = (is) =>
    new Promise((done) => {
      const look = () => (is() ? done(performance.now()) : requestAnimationFrame(look));
      look();
    });
  globalThis.firstTitle = once(() => document.querySelector("main h1, h1") !== null);
  globalThis.firstRows = once(
    () => document.querySelectorAll('[role="row"]:not([aria-busy]), tbody tr').length > 3,
  );
  globalThis.allRows = once(() =>
    /[\d,]{4,} problems/.test(document.querySelector("h1")?.parentElement?.textContent ?? ""),
  );
  // canvases, and when each was drawn first
  globalThis.drawn = new Map();
  const { stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.stroke = function (...args) {
    if (!globalThis.drawn.has(this.canvas)) globalThis.drawn.set(this.canvas, performance.now());
    return stroke.apply(this, args);
  };
  // from a key to the frame in which the list has another length
  globalThis.keyTimes = [];
  let pressed;
  addEventListener(
    "keydown",
    () => {
      pressed = performance.now();
    },
    { capture: true },
  );
  new MutationObserver(() => {
    if (pressed === undefined) return;
    const from = pressed;
    pressed = undefined;
    requestAnimationFrame(() => globalThis.keyTimes.push(performance.now() - from));
  }).observe(document, { subtree: true, attributeFilter: ["aria-rowcount"] });
}

async function open(state) {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState: state });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(watch);
  return { context, page };
}

const first = await open();
await first.page.goto(url);
await first.page.getByRole("textbox", { name: "User name" }).fill(user);
await first.page.getByLabel("Password", { exact: true }).fill(password);
await first.page.getByRole("button", { name: "Sign in" }).click();
await first.page.getByRole("navigation", { name: "Main" }).waitFor();
const { page } = first;
const state = await first.context.storageState();

const sorted = (values) => values.toSorted((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];
const worst = () => page.evaluate(() => Math.max(0, ...globalThis.longTasks));
const forget = () =>
  page.evaluate(() => {
    globalThis.longTasks = [];
    globalThis.keyTimes = [];
  });
const pause = (ms) => page.waitForTimeout(ms);
const figures = {};

async function call(method, params) {
  return page.evaluate(
    async ([method, params]) => {
      const answer = await fetch("/api_jsonrpc.php", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Requested-With": "saker" },
        body: JSON.stringify({ jsonrpc: "2.0", method, params, id: 1 }),
      });
      const { result, error } = await answer.json();
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result;
    },
    [method, params],
  );
}

async function fresh(path) {
  await page.goto("about:blank");
  await page.goto(`${url}${path}`, { waitUntil: "commit" });
  return page.evaluate(() => globalThis.firstRows);
}

/** All problems are there, and nothing of their arrival goes on. */
async function loadedProblems() {
  await page.goto(`${url}/problems`);
  await page.evaluate(() => globalThis.allRows);
  await pause(2000);
  await forget();
}

/** The memory of the tab's process alone, in MB. */
async function privateMemory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = processInfo
    .filter((it) => it.type === "renderer")
    .map(({ id }) => {
      const lines = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
      const kb = [...lines.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)];
      return kb.reduce((sum, it) => sum + Number(it[1]), 0) / 1024;
    });
  return Math.max(...sizes);
}

const GRAPHS = 30;
const POINTS = 1000;

/** A dashboard of graphs of an item each, with a value every 3.6 seconds of the last hour. */
async function graphsDashboard() {
  const [known] = await call("dashboard.get", { filter: { name: "Bench graphs" } });
  if (known !== undefined) return known.dashboardid;
  const { groupids } = await call("hostgroup.create", { name: "Bench graphs" });
  const groups = groupids.map((groupid) => ({ groupid }));
  const { hostids } = await call("host.create", { host: "bench-graphs", groups });
  const { itemids } = await call(
    "item.create",
    Array.from({ length: GRAPHS }, (_, at) => ({
      hostid: hostids[0],
      name: `Graph ${at}`,
      key_: `graph[${at}]`,
      type: 2,
      value_type: 0,
    })),
  );
  const now = Math.floor(Date.now() / 1000);
  for (const [at, itemid] of itemids.entries()) {
    const values = Array.from({ length: POINTS }, (_, n) => {
      const second = (POINTS - n) * 3.6;
      const clock = Math.floor(now - second);
      const value = String(50 + 40 * Math.sin((n + at * 20) / 60) + (n % 7));
      return { itemid, clock, ns: Math.floor((now - second - clock) * 1e9), value };
    });
    await call("history.push", values);
  }
  const widgets = itemids.map((itemid, at) => ({
    type: "svggraph",
    name: `Graph ${at}`,
    x: (at % 6) * 12,
    y: Math.floor(at / 6) * 2,
    width: 12,
    height: 2,
    fields: [
      {
        type: 1,
        name: "reference",
        value: `AAA${String.fromCharCode(65 + (at % 26))}${at > 25 ? "B" : "A"}`,
      },
      { type: 0, name: "ds.0.dataset_type", value: "0" },
      { type: 4, name: "ds.0.itemids.0", value: itemid },
      { type: 1, name: "ds.0.color.0", value: "2CAE7C" },
    ],
  }));
  const pages = [{ widgets }];
  const made = await call("dashboard.create", { name: "Bench graphs", display_period: 30, pages });
  return made.dashboardids[0];
}

const measures = {
  /** The overview in a browser that has nothing of it yet. */
  first_load: async () => {
    const { context, page: empty } = await open(state);
    const session = await context.newCDPSession(empty);
    await session.send("Network.enable");
    let bytes = 0;
    const isAsset = new Set();
    session.on("Network.responseReceived", ({ requestId, type }) => {
      if (["Document", "Script", "Stylesheet", "Font", "Image"].includes(type)) {
        isAsset.add(requestId);
      }
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (isAsset.has(requestId)) bytes += encodedDataLength;
    });
    await empty.goto(`${url}/`, { waitUntil: "commit" });
    const title = await empty.evaluate(() => globalThis.firstTitle);
    const rows = await empty.evaluate(() => globalThis.firstRows);
    const kb = bytes / 1000;
    await context.close();
    return { kb, title_ms: title, rows_ms: rows };
  },
  /** Clicks through the navigation, until the title of the next page is in a frame. */
  route: async () => {
    const paths = ["/dashboards", "/problems", "/latest", "/graphs", "/maps", "/hosts"];
    paths.push("/templates", "/actions", "/users", "/");
    await page.goto(`${url}/`);
    await page.locator('nav a[href="/users"]').waitFor();
    const times = [];
    // the first round loads the pages' files
    for (const isMeasured of [false, true]) {
      for (const path of paths) {
        const took = await page.evaluate(async (path) => {
          const from = performance.now();
          const before = document.querySelector("h1");
          document.querySelector(`nav a[href="${path}"]`).click();
          for (;;) {
            await new Promise(requestAnimationFrame);
            const title = document.querySelector("h1");
            if (title !== null && title !== before) return performance.now() - from;
          }
        }, path);
        if (isMeasured) times.push(took);
        await pause(isMeasured ? 700 : 1500);
      }
    }
    return { median_ms: median(times), worst_ms: Math.max(...times) };
  },
  problems: async () => {
    const rows = await fresh("/problems");
    const all = await page.evaluate(() => globalThis.allRows);
    await pause(1000);
    return { first_rows_ms: rows, all_rows_ms: all, worst_task_ms: await worst() };
  },
  problems_by_click: async () => {
    await page.goto(`${url}/hosts`);
    await page.getByRole("heading", { name: "Hosts" }).waitFor();
    await pause(2000);
    await forget();
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
    await pause(3000);
    return { first_rows_ms: took, worst_task_ms: await worst() };
  },
  overview: async () => {
    const rows = await fresh("/");
    await pause(2000);
    return { first_rows_ms: rows, worst_task_ms: await worst() };
  },
  /** Each key gives another list. */
  typing: async () => {
    await loadedProblems();
    await page.getByRole("searchbox").focus();
    for (const key of ["7", "8", "5", "Backspace", "Backspace", "Backspace"]) {
      await page.keyboard.press(key);
      await pause(600);
    }
    const times = await page.evaluate(() => globalThis.keyTimes);
    if (times.length < 6) throw new Error(`only ${times.length} of 6 keys changed the list`);
    return {
      key_ms: median(times),
      worst_key_ms: Math.max(...times),
      worst_task_ms: await worst(),
    };
  },
  grouping: async () => {
    await loadedProblems();
    const tasks = {};
    for (const by of ["By host group", "By host", "By problem"]) {
      await forget();
      await page.getByRole("combobox", { name: "Group by" }).click();
      await page.getByRole("option", { name: by, exact: true }).click();
      await page.locator('[role="row"] button[aria-expanded]').first().waitFor();
      await pause(1500);
      tasks[`${by.toLowerCase().replaceAll(" ", "_")}_worst_task_ms`] = await worst();
    }
    return tasks;
  },
  scrolling: async () => {
    await loadedProblems();
    await page.mouse.move(700, 500);
    for (let n = 0; n < 120; n += 1) {
      await page.mouse.wheel(0, n < 60 ? 300 : 30_000);
      await pause(16);
    }
    return { worst_task_ms: await worst() };
  },
  memory: async () => {
    await loadedProblems();
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const heap = metrics.find((it) => it.name === "JSHeapUsedSize")?.value ?? 0;
    await session.detach();
    return { heap_mb: heap / 2 ** 20, process_mb: await privateMemory() };
  },
  dashboard: async () => {
    const id = await graphsDashboard();
    await page.goto(`${url}/dashboards/${id}`, { waitUntil: "commit" });
    await page.waitForFunction((n) => globalThis.drawn.size >= n, GRAPHS);
    await pause(1000);
    return page.evaluate(() => {
      const drawn = Math.max(...globalThis.drawn.values());
      const answers = performance
        .getEntriesByType("resource")
        .filter((it) => it.name.includes("/api/v1/series"));
      const data = Math.max(...answers.map((it) => it.responseEnd));
      return {
        drawn_ms: drawn,
        after_data_ms: Math.max(0, drawn - data),
        worst_task_ms: Math.max(0, ...globalThis.longTasks),
      };
    });
  },
};

for (const [name, run] of Object.entries(measures)) {
  if (names.length > 0 && !names.includes(name)) continue;
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
const [load] = loadavg();
console.log(
  JSON.stringify({ bench: "pages_browser", ...figures, load_average: load, runs: Number(runs) }),
);
await browser.close();
