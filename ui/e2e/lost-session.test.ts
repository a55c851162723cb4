// Nothing that was typed is lost when the session ends, the server is away, or a page is left.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const HOST = "lost-session-01";

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

type Hosts = readonly { readonly name: string; readonly description: string }[];

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [group] = await callAs<readonly { groupid: string }[]>(page, "hostgroup.get", { limit: 1 });
  const made = await callAs<{ hostids: readonly string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group?.groupid }],
  });
  hostid = made.hostids[0] ?? "";
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const dialog = () => page.getByRole("dialog", { name: "Your session has ended" });
const description = () => page.getByRole("textbox", { name: "Description", exact: true });

/** What the page asks for by itself may have found out first that the session has ended: the question lies above then. */
async function press(button: Locator): Promise<void> {
  await button.dispatchEvent("click");
}

async function openForm(): Promise<void> {
  await page.goto(`${target.url}/hosts/${hostid}/configuration`);
  await description().waitFor();
}

async function host() {
  const output = ["name", "description"];
  return (await callAs<Hosts>(page, "host.get", { hostids: [hostid], output }))[0];
}

test("a form whose session has ended asks for the password, keeps its texts and is saved", async () => {
  await openForm();
  await description().fill("typed before the session ended");
  await browser.context.clearCookies();
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await dialog().waitFor();
  assert.equal(new URL(page.url()).pathname, `/hosts/${hostid}/configuration`);
  await becomes(() => description().inputValue(), "typed before the session ended");
  await shots(page, "session-ended", { narrow: true });
  assert.deepEqual(await barriers(page), []);
  // neither Escape nor a click next to it takes the question away
  await page.keyboard.press("Escape");
  const password = dialog().getByLabel("Password of Admin", { exact: true });
  await password.fill("not this one");
  await dialog().getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog().getByRole("alert").waitFor();
  await password.fill(target.password);
  await password.press("Enter");
  await dialog().waitFor({ state: "detached" });
  // the save that was refused goes on by itself
  await page.getByText("Host saved").waitFor();
  assert.equal((await host())?.description, "typed before the session ended");
});

test("a comment on a problem stays in its dialog, which asks before it is closed", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const item = { hostid, name: "Link", key_: "link", type: 2, value_type: 3 };
  await callAs(page, "item.create", item);
  const expression = `last(/${HOST}/link)=0`;
  await callAs(page, "trigger.create", { description: "Link is down", expression, priority: 4 });
  await target.send(HOST, "link", "0");
  await page.goto(`${target.url}/problems?q=${HOST}`);
  const problem = page.getByRole("row").filter({ hasText: "Link is down" });
  await problem.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Update 1 problem" }).click();
  const update = page.getByRole("dialog", { name: "Update 1 problem" });
  const message = update.getByRole("textbox", { name: "Message" });
  await message.fill("the provider is called");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Close this dialog?" }).waitFor();
  await page.getByRole("button", { name: "Stay" }).click();
  await browser.context.clearCookies();
  await press(update.getByRole("button", { name: "Update", exact: true }));
  await dialog().waitFor();
  await shots(page, "session-ended-over-dialog");
  await page.keyboard.press("Escape");
  await becomes(() => page.getByRole("dialog", { name: "Close this dialog?" }).count(), 0);
  await becomes(() => message.inputValue(), "the provider is called");
  await dialog().getByLabel("Password of Admin", { exact: true }).fill(target.password);
  await dialog().getByRole("button", { name: "Sign in", exact: true }).click();
  await update.waitFor({ state: "detached" });
  type Events = readonly { readonly acknowledges: readonly { readonly message: string }[] }[];
  const params = { hostids: [hostid], selectAcknowledges: ["message"] };
  const [event] = await callAs<Events>(page, "problem.get", params);
  assert.equal(event?.acknowledges[0]?.message, "the provider is called");
});

test("the session that came back in another tab lets this one go on without a word", async () => {
  await openForm();
  await description().fill("two tabs");
  await browser.context.clearCookies();
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await dialog().waitFor();
  const other = await browser.context.newPage();
  await signIn(other, target);
  await other.close();
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await dialog().waitFor({ state: "detached" });
  await page.getByText("Host saved").waitFor();
  assert.equal((await host())?.description, "two tabs");
});

test("signing in as somebody else asks first while something is typed", async () => {
  await openForm();
  await description().fill("would be lost");
  await browser.context.clearCookies();
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await dialog().waitFor();
  const asked: string[] = [];
  page.once("dialog", (it) => {
    asked.push(it.message());
    void it.dismiss();
  });
  await dialog().getByRole("button", { name: "Sign in as another user" }).click();
  assert.match(asked[0] ?? "", /Leave without saving/);
  await becomes(() => description().inputValue(), "would be lost");
  page.once("dialog", (it) => void it.accept());
  await dialog().getByRole("button", { name: "Sign in as another user" }).click();
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await signIn(page, target);
});

test("a save while the server does not answer fails in its place and can be sent again", async () => {
  await openForm();
  await description().fill("after the outage");
  await page.route("**/api_jsonrpc.php", (route) => route.abort());
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The server does not answer.").first().waitFor();
  await becomes(() => description().inputValue(), "after the outage");
  await page.unroute("**/api_jsonrpc.php");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Host saved").waitFor();
  assert.equal((await host())?.description, "after the outage");
});

test("a page that does nothing notices as well that its session was ended elsewhere", async () => {
  await openForm();
  await description().fill("nobody asks for anything");
  await page.getByText("Live", { exact: true }).waitFor();
  await callAs(page, "user.logout", []);
  // the server closes the line of a session that is gone
  await dialog().waitFor();
  await becomes(() => description().inputValue(), "nobody asks for anything");
  await dialog().getByLabel("Password of Admin", { exact: true }).fill(target.password);
  await dialog().getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Host saved").waitFor();
});

test("the time without activity covers the page and leaves what was typed", async () => {
  const [{ userid = "" } = {}] = await callAs<readonly { userid: string }[]>(page, "user.get", {
    filter: { username: "Admin" },
  });
  await callAs(page, "user.update", { userid, autologout: "90s" });
  await page.clock.install();
  await openForm();
  await description().fill("gone for lunch");
  await page.clock.fastForward(100_000);
  await dialog().waitFor();
  await shots(page, "session-covered");
  assert.deepEqual(await barriers(page), []);
  await dialog().getByLabel("Password of Admin", { exact: true }).fill(target.password);
  await dialog().getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
  await becomes(() => description().inputValue(), "gone for lunch");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Host saved").waitFor();
  assert.equal((await host())?.description, "gone for lunch");
  await callAs(page, "user.update", { userid, autologout: "0" });
});

test("nothing broke the policy or failed unseen on the way", () => {
  const unexpected = browser.complaints.filter((it) => !it.includes("ERR_FAILED"));
  assert.deepEqual(unexpected, []);
});
