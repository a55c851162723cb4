// Pictures of the user guide that need days of values: `npm run pictures:docs` makes a week of them on a server of its
// own (SAKER_BIN, as for the tests) and writes the storage page, a backtest and the test of preprocessing to docs/images.

import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { signIn } from "../browser";
import { begin, type Journey, now, until } from "../journeys/journey";
import type { Sent } from "../target";
import { DAY_S } from "./hosts";
import { rest } from "./rest";

const IMAGES = fileURLToPath(new URL("../../../docs/images", import.meta.url));
const DAYS = 7;
const STEP_S = 60;
// one request of the sender protocol
const BATCH = 5_000;
const HOSTS = ["db-fra1", "web-fra1", "web-fra2"];
const STATUS = '{"disk":{"used_kb":123456},"replication":{},"version":"16.4"}';

// values are in files soon, and not after an hour
process.env["SAKER_HISTORY_FLUSH_INTERVAL_S"] = "2";

interface World {
  readonly hostid: string;
  readonly triggerid: string;
  readonly dependent: string;
  readonly nValues: number;
}

async function makeWeek({ call, sendAll }: Journey): Promise<World> {
  const create = async (method: string, params: unknown): Promise<readonly string[]> => {
    const made = await call<Record<string, readonly string[]>>(`${method}.create`, params);
    const [ids = []] = Object.values(made);
    return ids;
  };
  const [groupid] = await create("hostgroup", { name: "Frankfurt" });
  const hostids = await create(
    "host",
    HOSTS.map((host) => ({
      host,
      groups: [{ groupid }],
      macros: host === "db-fra1" ? [{ macro: "{$FACTOR}", value: "1024" }] : [],
    })),
  );
  const [hostid = ""] = hostids;
  const of = (hostid: string, name: string, key_: string, more: object) => ({
    hostid,
    name,
    key_,
    type: 2,
    value_type: 0,
    ...more,
  });
  await create(
    "item",
    hostids.flatMap((id) => [
      of(id, "Load average (5m)", "load", {}),
      of(id, "CPU utilization", "cpu", { units: "%", history: "7d" }),
      of(id, "Memory used", "mem", { units: "B", value_type: 3 }),
    ]),
  );
  const [master] = await create("item", of(hostid, "Status", "db.status", { value_type: 4 }));
  const [dependent = ""] = await create(
    "item",
    of(hostid, "Disk used", "db.disk", {
      type: 18,
      master_itemid: master,
      value_type: 3,
      units: "B",
      preprocessing: [
        { type: 12, params: "$.disk.used_kb", error_handler: 0, error_handler_params: "" },
        { type: 1, params: "{$FACTOR}", error_handler: 0, error_handler_params: "" },
      ],
    }),
  );
  const values = weekOf();
  for (let at = 0; at < values.length; at += BATCH) await sendAll(values.slice(at, at + BATCH));
  // what is sent late would be judged late
  const [triggerid = ""] = await create("trigger", {
    description: "Load of {HOST.NAME} is high",
    expression: "avg(/db-fra1/load,10m)>5",
    priority: 3,
  });
  return { hostid, triggerid, dependent, nValues: values.length };
}

/** Busy by day, with a wave of jobs every few hours. */
function weekOf(): readonly Sent[] {
  const end = now() - 30;
  const values: Sent[] = [];
  // what is older than its item keeps values is not taken
  for (let clock = end - DAYS * DAY_S + 600; clock <= end; clock += STEP_S) {
    for (const [at, host] of HOSTS.entries()) {
      const day = Math.sin((2 * Math.PI * clock) / DAY_S + at);
      const jobs = Math.sin((2 * Math.PI * clock) / (DAY_S / (5 + at)));
      const noise = Math.sin(clock * 12.9898 + at) * 0.4;
      const load = Math.max(0, 3.2 + 2.2 * day + 1.3 * jobs + noise);
      const send = (key: string, value: string) => values.push({ host, key, value, clock });
      send("load", load.toFixed(2));
      send("cpu", (8 * load + 3 * noise).toFixed(1));
      send("mem", String(Math.round((6 + day + 0.2 * jobs) * 1e9)));
    }
  }
  values.push({ host: "db-fra1", key: "db.status", value: STATUS, clock: end });
  return values;
}

async function picture(page: Page, name: string, of?: Locator, heightMax = 900): Promise<void> {
  await rest(page);
  const path = `${IMAGES}/${name}.png`;
  await of?.scrollIntoViewIfNeeded();
  const box = await of?.boundingBox();
  if (!box) await page.screenshot({ path });
  else await page.screenshot({ path, clip: { ...box, height: Math.min(box.height, heightMax) } });
}

const journey = await begin();
const { page, browser, target } = journey;
try {
  await signIn(page, target);
  const { hostid, triggerid, dependent, nValues } = await makeWeek(journey);

  await page.goto(`${target.url}/hosts/${hostid}/triggers/${triggerid}`);
  await page.getByRole("button", { name: "Backtest", exact: true }).click();
  const backtest = page.getByRole("region", { name: "Backtest" });
  await backtest.getByText("7d", { exact: true }).click();
  await backtest.getByRole("button", { name: "Run backtest" }).click();
  await backtest.getByRole("table", { name: "Problems in the period" }).waitFor();
  await backtest.getByRole("img", { name: /^Chart of/ }).waitFor();
  await backtest.evaluate((it) => it.scrollIntoView({ block: "start" }));
  await picture(page, "backtest", backtest, 600);

  await page.goto(`${target.url}/hosts/${hostid}/items/${dependent}`);
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Test preprocessing" });
  await dialog.getByRole("button", { name: "Latest value of the master item" }).click();
  await dialog.getByText(/^The value of/).waitFor();
  await dialog.getByRole("button", { name: "Test all steps" }).click();
  await dialog.getByText("Stored as Numeric (unsigned):").waitFor();
  await picture(page, "test-preprocessing", dialog);

  // before it is in files nothing is counted, and what was counted stands for ten minutes
  await until("values in files", async () => {
    const { values } = await page.evaluate(async () => {
      const answer = await fetch("/api/v1/storage");
      return (await answer.json()) as { values: { count: number } };
    });
    return values.count >= nValues;
  });
  await page.goto(`${target.url}/storage`);
  await page.getByRole("row").filter({ hasText: "db-fra1" }).first().waitFor();
  await picture(page, "storage");
  if (browser.complaints.length > 0) throw new Error(browser.complaints.join("\n"));
} finally {
  await browser.close();
  await target.stop();
}
