// On call in a real browser: a schedule is made, its calendar shown in weeks and months, somebody stands in, and an
// action names it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const SCHEDULE = `Operations ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;

async function addUser(name: string, surname: string): Promise<void> {
  await callAs(page, "user.create", {
    username: `${name.toLowerCase()}-${RUN}`,
    name,
    surname,
    passwd: "for-tests-only-1",
    roleid: "1",
    usrgrps: [{ usrgrpid: "7" }],
  });
}

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  await addUser("Ada", "Lovelace");
  await addUser("Bob", "Kahn");
  await addUser("Cy", "Young");
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const field = (name: string) => page.getByRole("textbox", { name, exact: true });

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function choose(label: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(text);
  await page.getByRole("option", { name: new RegExp(text) }).click();
}

test("a schedule is made in the form, and says what is missing", async () => {
  await page.goto(`${target.url}/oncall`);
  await press("New on-call schedule");
  await press("Create");
  await page.getByText("a user is required").waitFor();
  await field("Name").first().fill(SCHEDULE);
  await choose("Time zone", "Europe/Riga");
  const first = page.getByRole("group", { name: "Rotation 1", exact: true });
  await first.getByRole("textbox", { name: "Name", exact: true }).fill("Weeks");
  await first.getByRole("textbox", { name: "Start" }).fill("2026-01-05 09:00");
  await choose("User 1 of rotation 1", `bob-${RUN}`);
  await press("Add user");
  await choose("User 2 of rotation 1", `ada-${RUN}`);
  await press("Move user 2 of rotation 1 up");
  await press("Add rotation");
  const second = page.getByRole("group", { name: "Rotation 2", exact: true });
  await second.getByRole("textbox", { name: "Name", exact: true }).fill("Nights");
  await second.getByRole("combobox", { name: "Unit", exact: true }).click();
  await page.getByRole("option", { name: "Days", exact: true }).click();
  await second.getByRole("textbox", { name: "Start" }).fill("2026-01-05 09:00");
  await second.getByRole("textbox", { name: "Hand-over at" }).fill("18:00");
  await second
    .getByRole("textbox", { name: "Only at these times of the week" })
    .fill("1-7,00:00-08:00;1-7,18:00-24:00");
  await choose("User 1 of rotation 2", `cy-${RUN}`);
  await press("Move rotation 2 up");
  await shots(page, "oncall-form", { narrow: true, axe: true });
  await press("Create");
  const row = page.getByRole("row").filter({ hasText: SCHEDULE });
  await row
    .getByText(/Ada Lovelace|Bob Kahn|Cy Young/)
    .first()
    .waitFor();
  await shots(page, "oncall", { narrow: true, axe: true });

  type Saved = { rotations: { name: string; users: object[] }[]; timezone: string };
  const [saved] = await callAs<Saved[]>(page, "oncall.get", {
    filter: { name: [SCHEDULE] },
    output: "extend",
    selectRotations: "extend",
  });
  assert.equal(saved?.timezone, "Europe/Riga");
  assert.deepEqual(
    saved?.rotations.map(({ name, users }) => [name, users.length]),
    [
      ["Nights", 1],
      ["Weeks", 2],
    ],
  );
});

test("the calendar shows weeks and months in several zones", async () => {
  await page.getByRole("link", { name: SCHEDULE, exact: true }).click();
  await page
    .getByRole("status", { name: "On call now" })
    .getByText(/^On call now:/)
    .waitFor();
  const calendar = page.getByRole("region", { name: "Calendar", exact: true });
  await calendar
    .getByRole("button", { name: /^Cy Young, Nights, / })
    .first()
    .waitFor();
  await shots(page, "oncall-month", { narrow: true, axe: true });
  await calendar.getByText("Week", { exact: true }).click();
  await page.waitForURL(/view=week/);
  // the same shift by two clocks
  const night = () => calendar.getByRole("button", { name: /^Cy Young, Nights, .* 18:00 – / });
  await night().first().waitFor();
  await shots(page, "oncall-week", { narrow: true, axe: true });
  await calendar.getByRole("combobox", { name: "Time zone shown" }).click();
  await page.getByRole("option", { name: "UTC", exact: true }).click();
  await page.waitForURL(/zone=UTC/);
  await calendar
    .getByRole("button", { name: /^Cy Young, Nights, .* 1[56]:00 – / })
    .first()
    .waitFor();
  // not that it loads
  const shown = calendar.getByRole("status").filter({ hasText: " – " });
  const before = await shown.textContent();
  await press("Later");
  await page.waitForURL(/at=\d+/);
  await becomes(async () => (await shown.textContent()) !== before, true);
  // the address is the whole state
  await page.reload();
  await calendar.waitFor();
  await becomes(async () => (await shown.textContent()) !== before, true);
  await press("Today");
  await page.waitForURL((url) => !url.search.includes("at="));
});

test("somebody stands in for a shift, by the keyboard", async () => {
  const shift = page.getByRole("button", { name: /^Cy Young, Nights, / }).last();
  await shift.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Override" });
  await dialog.getByText("Instead of Cy Young:").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("a user is required").waitFor();
  await dialog.getByRole("combobox", { name: "User" }).fill(`ada-${RUN}`);
  await page.getByRole("option", { name: /Ada Lovelace/ }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Override saved").waitFor();
  await page
    .getByRole("button", { name: /^Ada Lovelace, override, / })
    .first()
    .waitFor();
  await shots(page, "oncall-override", { narrow: true, axe: true });
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: /iCalendar/ }).click();
  assert.equal((await download).suggestedFilename(), "oncall.ics");
});

test("an action notifies the user on call", async () => {
  await page.goto(`${target.url}/actions/new`);
  await field("Name").fill(`On call ${RUN}`);
  for (const name of [
    "Remove Recovery operations, operation 1",
    "Remove Update operations, operation 1",
  ]) {
    await press(name);
  }
  const operation = page.getByRole("group", { name: "Operations, operation 1", exact: true });
  await operation.getByRole("combobox", { name: "On call", exact: true }).click();
  await page.getByRole("option", { name: SCHEDULE, exact: true }).click();
  await page
    .getByRole("list", { name: "Timeline" })
    .getByText(`message to users on call in ${SCHEDULE}`)
    .waitFor();
  await page.keyboard.press("Escape");
  await press("Create");
  await page.getByRole("link", { name: `On call ${RUN}`, exact: true }).waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("a schedule that an action names stays, and says why", async () => {
  await page.goto(`${target.url}/oncall`);
  await page.getByRole("link", { name: SCHEDULE, exact: true }).click();
  await press("Edit");
  await press("Delete schedule");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText(/is used by action/).waitFor();
});
