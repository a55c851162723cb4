// Journey 10, who changed what: an alarm did not come, and the reason is a change; who made it, when, and what was before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { arrive, begin, enter, type Journey, jump, literal, RUN, stop } from "./journey";

const HOST = `billing-${RUN}`;
const TRIGGER = `Queue is too long ${RUN}`;
const COLLEAGUE = { username: `kim-${RUN}`, password: `Battery-staple-${RUN}` };

let journey: Journey;

before(async () => {
  journey = await begin();
  const { call, login, send } = journey;
  const superAdminRole = "3";
  const administrators = "7";
  await call("user.create", {
    username: COLLEAGUE.username,
    passwd: COLLEAGUE.password,
    roleid: superAdminRole,
    usrgrps: [{ usrgrpid: administrators }],
  });
  const { groupids } = await call<{ groupids: string[] }>("hostgroup.create", {
    name: `Billing ${RUN}`,
  });
  const { hostids } = await call<{ hostids: string[] }>("host.create", {
    host: HOST,
    groups: [{ groupid: groupids[0] }],
    description: "Runs the nightly bills.\nOwner: finance",
  });
  await call("item.create", {
    hostid: hostids[0],
    key_: "queue",
    name: "Bills in the queue",
    type: 2,
    value_type: 3,
  });
  const { triggerids } = await call<{ triggerids: string[] }>("trigger.create", {
    description: TRIGGER,
    expression: `last(/${HOST}/queue)>100`,
    priority: 4,
  });
  await send(HOST, "queue", "120");
  // the colleague found it noisy
  const kim = await login(COLLEAGUE);
  await call(
    "trigger.update",
    { triggerid: triggerids[0], expression: `last(/${HOST}/queue)>5000`, priority: 2 },
    kim,
  );
  const description = "Runs the nightly bills.\nOwner: nobody yet";
  await call("host.update", { hostid: hostids[0], description }, kim);
});

after(() => journey?.end());

test("who changed what is found from the overview, in the audit log and on the object itself", async () => {
  const { page, target, admin, browser } = journey;
  await arrive(page, target.url, admin);
  // somebody changed something in the last hour
  const changes = page.getByRole("region", { name: "Configuration changes", exact: true });
  const line = changes.getByRole("listitem").filter({ hasText: TRIGGER });
  await line.filter({ hasText: COLLEAGUE.username }).waitFor();
  await changes.scrollIntoViewIfNeeded();
  await stop(page, "changes-overview");
  await enter(page, line.getByRole("link", { name: TRIGGER }).first());

  // what exactly, and what it was before
  await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  const records = page.getByRole("table", { name: "Audit log" });
  const update = records.getByRole("row").filter({ hasText: COLLEAGUE.username });
  await update.waitFor();
  await stop(page, "changes-log");
  await update.getByText(TRIGGER).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("row").filter({ hasText: "expression" });
  await field.getByText(/>100/).waitFor();
  await field.getByText(/>5000/).waitFor();
  await stop(page, "changes-record");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  // all that this person did
  await page.getByRole("searchbox").fill("");
  await page.getByRole("combobox", { name: "Object type", exact: true }).fill("");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "User", exact: true }).fill(COLLEAGUE.username);
  await page.getByRole("option", { name: new RegExp(`^${literal(COLLEAGUE.username)}`) }).click();
  await page.waitForURL(/user=\d+/);
  await records.getByRole("row").filter({ hasText: HOST }).first().waitFor();
  // besides the heads of the columns, once the rows of all are gone
  const others = records.getByRole("row").filter({ hasNotText: COLLEAGUE.username });
  await others.nth(1).waitFor({ state: "detached" });
  assert.ok((await records.getByRole("row").count()) > 1, "there are records of that user");
  await stop(page, "changes-of-user");

  // the history of the host, line by line
  await jump(page, HOST);
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await tabs.getByRole("link", { name: "Configuration" }).press("Enter");
  await page.getByRole("button", { name: "Changes", exact: true }).press("Enter");
  const history = page.getByRole("dialog", { name: "Change history" });
  const newest = history.getByRole("listitem").first();
  await newest.getByText(COLLEAGUE.username).waitFor();
  await newest.filter({ hasText: /− Owner: finance[\s\S]*\+ Owner: nobody yet/ }).waitFor();
  await stop(page, "changes-history");
  await page.keyboard.press("Escape");
  await history.waitFor({ state: "detached" });

  // and it is put right
  await tabs.getByRole("link", { name: "Triggers" }).press("Enter");
  await page.getByRole("link", { name: TRIGGER }).press("Enter");
  const expression = page.getByRole("textbox", { name: /^Expression/ });
  await expression.fill(`last(/${HOST}/queue)>100`);
  await page.getByText("checked by the server").waitFor();
  await page.getByRole("radio", { name: "High" }).check({ force: true });
  await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
  await page.getByRole("row").filter({ hasText: TRIGGER }).getByText("High").waitFor();
  assert.deepEqual(browser.complaints, []);
});
