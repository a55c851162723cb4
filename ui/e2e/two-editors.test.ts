// Two people edit the same object: neither undoes the other without having seen it. One test for each way in which a
// form keeps its fields.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import {
  atRest,
  type Browser,
  barriers,
  becomes,
  callAs,
  openBrowser,
  shots,
  signIn,
} from "./browser";
import { openTarget, type Target } from "./target";

const HOST = "two-editors-01";

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";
let itemid = "";
let triggerid = "";

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [group] = await callAs<readonly { groupid: string }[]>(page, "hostgroup.get", { limit: 1 });
  const hosts = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group?.groupid }],
    tags: [{ tag: "site", value: "fra" }],
  });
  hostid = hosts.hostids[0] ?? "";
  const items = await callAs<{ itemids: string[] }>(page, "item.create", {
    hostid,
    name: "Load",
    key_: "load",
    type: 2,
    value_type: 0,
  });
  itemid = items.itemids[0] ?? "";
  const triggers = await callAs<{ triggerids: string[] }>(page, "trigger.create", {
    description: "Load is high",
    expression: `last(/${HOST}/load)>5`,
  });
  triggerid = triggers.triggerids[0] ?? "";
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const text = (name: string) => page.getByRole("textbox", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog", { name: "Changed by another user" });

async function open(path: string, field: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
  await text(field).first().waitFor();
}

/** What the other one does, and the object as it is in the end. */
async function object(method: string, params: object): Promise<Record<string, unknown>> {
  const rows = await callAs<readonly Record<string, unknown>[]>(page, method, params);
  return rows[0] ?? {};
}

test("a host: the second editor sees what the first saved, and both changes are kept", async () => {
  await open(`/hosts/${hostid}/configuration`, "Visible name");
  await text("Visible name").fill("mine");
  await button("Add tag").click();
  await text("Tag 2").fill("owner");
  await callAs(page, "host.update", {
    hostid,
    description: "theirs",
    tags: [
      { tag: "site", value: "fra" },
      { tag: "rack", value: "7" },
    ],
  });
  await button("Save").click();
  await dialog().waitFor();
  await dialog().getByText("Description", { exact: true }).waitFor();
  await shots(page, "two-editors", { narrow: true });
  assert.deepEqual(await barriers(page), []);
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Host saved").waitFor();
  const { name, description, tags } = await object("host.get", {
    hostids: [hostid],
    output: ["name", "description"],
    selectTags: ["tag"],
  });
  assert.deepEqual([name, description], ["mine", "theirs"]);
  const names = (tags as { tag: string }[]).map(({ tag }) => tag).sort();
  assert.deepEqual(names, ["owner", "rack", "site"]);
});

test("the page says it before anything is saved, and of the same field one is chosen", async () => {
  await open(`/hosts/${hostid}/configuration`, "Description");
  await text("Description").fill("mine");
  await callAs(page, "host.update", { hostid, description: "theirs again" });
  const note = page.getByRole("status").filter({ hasText: "Changed by another user" });
  await note.waitFor();
  await shots(page, "two-editors-note", { axe: true });
  await note.getByRole("button", { name: "Compare" }).click();
  await dialog().getByText("Take theirs", { exact: true }).click();
  await dialog().getByRole("button", { name: "Apply to the form" }).click();
  await note.waitFor({ state: "detached" });
  await becomes(() => text("Description").inputValue(), "theirs again");
});

test("an item and a trigger send what was changed, and nothing else", async () => {
  const sent: Record<string, unknown>[] = [];
  page.on("request", (request) => {
    const body = request.postData() ?? "";
    if (/"(item|trigger)\.update"/.test(body)) sent.push(JSON.parse(body).params);
  });
  await open(`/hosts/${hostid}/items/${itemid}`, "Units");
  await text("Units").fill("B");
  await button("Save").click();
  await page.getByText("Item saved").waitFor();
  await open(`/hosts/${hostid}/triggers/${triggerid}`, "Operational data");
  await text("Operational data").fill("{ITEM.LASTVALUE1}");
  await button("Save").click();
  await page.getByText("Trigger saved").waitFor();
  page.removeAllListeners("request");
  assert.deepEqual(sent, [
    { itemid, units: "B" },
    { triggerid, opdata: "{ITEM.LASTVALUE1}" },
  ]);
});

test("an object of the administration: a script", async () => {
  const { scriptids } = await callAs<{ scriptids: string[] }>(page, "script.create", {
    name: "Look",
    type: 5,
    scope: 2,
    command: "return 1",
  });
  const scriptid = scriptids[0] ?? "";
  await open(`/scripts/${scriptid}`, "Description");
  await text("Description").fill("mine");
  await callAs(page, "script.update", { scriptid, name: "Look there" });
  await button("Save").click();
  await dialog().getByText("Name", { exact: true }).waitFor();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Script saved").waitFor();
  const script = await object("script.get", { scriptids: [scriptid], output: "extend" });
  assert.deepEqual([script["name"], script["description"]], ["Look there", "mine"]);
});

test("global macros: what is typed stays while others save theirs", async () => {
  await open("/macros", "Macro 1");
  await button("Add macro").click();
  await text("Macro 2").fill("{$MINE}");
  await callAs(page, "usermacro.createglobal", { macro: "{$THEIRS}", value: "1" });
  await page.getByText("Changed by another user since you opened this form: Macros.").waitFor();
  await becomes(() => text("Macro 2").inputValue(), "{$MINE}");
  await button("Save").click();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Global macros saved").waitFor();
  const macros = await callAs<readonly { macro: string }[]>(page, "usermacro.get", {
    globalmacro: true,
    output: ["macro"],
  });
  const names = macros.map(({ macro }) => macro);
  assert.ok(names.includes("{$MINE}") && names.includes("{$THEIRS}"), names.join());
});

test("a dashboard: the second editor does not take back what the first renamed", async () => {
  const { dashboardids } = await callAs<{ dashboardids: string[] }>(page, "dashboard.create", {
    name: "Wall",
    pages: [{}],
  });
  const dashboardid = dashboardids[0] ?? "";
  await page.goto(`${target.url}/dashboards/${dashboardid}/edit`);
  await button("Add page").click();
  await callAs(page, "dashboard.update", { dashboardid, name: "Big wall" });
  await button("Save").click();
  await dialog().getByText("Name", { exact: true }).waitFor();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Dashboard saved").waitFor();
  const board = await object("dashboard.get", {
    dashboardids: [dashboardid],
    output: ["name"],
    selectPages: ["name"],
  });
  assert.equal(board["name"], "Big wall");
  assert.equal((board["pages"] as unknown[]).length, 2);
});

test("an object that was deleted meanwhile leaves what was typed", async () => {
  const { scriptids } = await callAs<{ scriptids: string[] }>(page, "script.create", {
    name: "Short-lived",
    type: 5,
    scope: 2,
    command: "return 1",
  });
  await open(`/scripts/${scriptids[0]}`, "Description");
  await text("Description").fill("typed");
  await callAs(page, "script.delete", scriptids);
  await page.getByText(/Deleted by another user/).waitFor();
  await becomes(() => text("Description").inputValue(), "typed");
  await button("Cancel").click();
});

/** Creates one of a kind by the API: its id. */
async function make(method: string, params: object): Promise<string> {
  const made = await callAs<Record<string, readonly string[]>>(page, method, params);
  return Object.values(made)[0]?.[0] ?? "";
}

async function formsOfAllKinds(): Promise<readonly string[]> {
  const [role] = await callAs<readonly { roleid: string }[]>(page, "role.get", { limit: 1 });
  const [self] = await callAs<readonly { userid: string }[]>(page, "user.get", { limit: 1 });
  const [mediaType] = await callAs<readonly { mediatypeid: string }[]>(page, "mediatype.get", {
    limit: 1,
  });
  const { userid = "1" } = self ?? {};
  const of = `/hosts/${hostid}`;
  const start_date = 1_767_600_000;
  const rule = await make("discoveryrule.create", {
    hostid,
    name: "Disks",
    key_: "disks",
    type: 2,
  });
  const prototype = await make("itemprototype.create", {
    hostid,
    ruleid: rule,
    name: "Free of {#DISK}",
    key_: "free[{#DISK}]",
    type: 2,
    value_type: 3,
  });
  const [templates] = await callAs<readonly { groupid: string }[]>(page, "templategroup.get", {
    limit: 1,
  });
  const operation = {
    operationtype: 0,
    opmessage: { default_msg: 1, mediatypeid: 0 },
    opmessage_usr: [{ userid }],
  };
  const filter = { evaltype: 0, conditions: [] };
  return [
    `${of}/configuration`,
    `${of}/items/${itemid}`,
    `${of}/triggers/${triggerid}`,
    `${of}/discovery/${rule}`,
    `${of}/discovery/${rule}/prototypes/${prototype}`,
    `${of}/web/${await make("httptest.create", {
      hostid,
      name: "Shop",
      steps: [{ name: "Front", url: "http://127.0.0.1:1/", no: 1 }],
    })}`,
    `${of}/valuemaps/${await make("valuemap.create", {
      hostid,
      name: "States",
      mappings: [{ value: "1", newvalue: "Up" }],
    })}`,
    `${of}/graphs/list/${await make("graph.create", {
      name: "Loads",
      width: 900,
      height: 200,
      gitems: [{ itemid, color: "00AA00" }],
    })}`,
    `/templates/${await make("template.create", {
      host: "two-editors-template",
      groups: [{ groupid: templates?.groupid }],
    })}/configuration`,
    `/actions/${await make("action.create", {
      name: "Notify",
      eventsource: 0,
      esc_period: "1h",
      filter,
      operations: [operation],
    })}`,
    `/mediatypes/${mediaType?.mediatypeid}`,
    `/scripts/${await make("script.create", { name: "A", type: 5, scope: 2, command: "return 1" })}`,
    `/maintenance/${await make("maintenance.create", {
      name: "Weekly",
      active_since: start_date,
      active_till: start_date + 86_400,
      hosts: [{ hostid }],
      timeperiods: [
        { timeperiod_type: 3, start_time: 3600, period: 3600, every: 1, dayofweek: 64 },
        { timeperiod_type: 0, start_date, period: 3600 },
      ],
    })}`,
    `/services/${await make("service.create", { name: "Shop", algorithm: 1, sortorder: 0 })}`,
    `/sla/${await make("sla.create", {
      name: "Gold",
      period: 2,
      slo: "99.5",
      timezone: "Europe/Riga",
      effective_date: start_date,
      service_tags: [{ tag: "sla", operator: 0, value: "gold" }],
    })}`,
    `/usergroups/${await make("usergroup.create", { name: "Night shift" })}`,
    `/users/${await make("user.create", {
      username: "night",
      passwd: "Correct-horse-7-battery",
      roleid: role?.roleid,
    })}`,
    `/roles/${await make("role.create", { name: "Watchers", type: 1 })}`,
    `/tokens/${await make("token.create", {
      name: "exporter",
      userid,
      expires_at: start_date + 400 * 86_400,
    })}`,
    `/regexps/${await make("regexp.create", {
      name: "Disks",
      expressions: [{ expression: "^sd", expression_type: 3 }],
    })}`,
    `/correlation/${await make("correlation.create", {
      name: "Pairs",
      filter: { evaltype: 0, conditions: [{ type: 0, tag: "a" }] },
      operations: [{ type: 0 }],
    })}`,
    `/connectors/${await make("connector.create", {
      name: "Lake",
      url: "http://127.0.0.1:1/",
    })}`,
    `/network-discovery/${await make("drule.create", {
      name: "Office",
      iprange: "127.0.0.1",
      delay: "1d",
      status: 1,
      dchecks: [{ type: 9, key_: "system.uname", ports: "10050", uniq: 1 }, { type: 12 }],
    })}`,
    `/oncall/${await make("oncall.create", {
      name: "Turns",
      timezone: "Europe/Riga",
      rotations: [{ name: "Weeks", length: 1, unit: 1, start: start_date, users: [{ userid }] }],
    })}/edit`,
    "/settings",
    "/housekeeping",
    "/profile",
  ];
}

test("no form takes what nobody changed for a change, and each saves one field", async () => {
  for (const path of await formsOfAllKinds()) {
    await page.goto(`${target.url}${path}`);
    const form = page.locator("main form").first();
    await form.getByRole("button", { name: "Save", exact: true }).waitFor();
    // once all that the form stands on is there
    await atRest(page);
    const quiet = form.getByRole("textbox", { name: /^(Description|Visible name|Name|URL)/ });
    const field =
      (await quiet.count()) > 0
        ? quiet.last()
        : form.getByRole("textbox", { disabled: false }).last();
    const note = form.getByText(/by another user/);
    const was = await field.inputValue();
    await field.press("End");
    await field.pressSequentially("1");
    await becomes(() => note.count(), 0, `${path}: ${(await note.allTextContents()).join()}`);
    await field.fill(was);
    await form.getByRole("button", { name: "Save", exact: true }).click();
    const saved = page.locator(".mantine-Notification-root").filter({ hasText: "saved" });
    const asked = dialog();
    await saved.or(asked).or(form.getByRole("alert")).first().waitFor();
    await becomes(() => asked.count(), 0, `${path} asks`);
    const error = await form.getByRole("alert").allTextContents();
    assert.equal(error.join(), "", path);
  }
});

test("nothing broke the policy or failed unseen on the way", () => {
  assert.deepEqual(browser.complaints, []);
});
