// People who may look and not change, on every page: no control that the server would refuse, forms that say in words
// that they are for looking, and nothing refused while a page loads.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Response } from "playwright-core";
import { atRest, type Browser, callAs, openBrowser, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const PASSWORD = `Correct-horse-${RUN}`;
const GROUP = `E2E looked at ${RUN}`;
const OWN_GROUP = `E2E written ${RUN}`;
const TEMPLATES = `E2E templates ${RUN}`;

let target: Target;
let browser: Browser;

/** Ids of what is looked at. */
const ids: Record<string, string> = {};

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  await signIn(browser.page, target);
  await makeThings();
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

type Made = Readonly<Record<string, readonly string[]>>;

async function make(name: string, method: string, params: object): Promise<string> {
  const made = await callAs<Made>(browser.page, method, params);
  const id = Object.values(made)[0]?.[0] ?? "";
  ids[name] = id;
  return id;
}

async function makeThings(): Promise<void> {
  const { page } = browser;
  const groupid = await make("group", "hostgroup.create", { name: GROUP });
  const own = await make("ownGroup", "hostgroup.create", { name: OWN_GROUP });
  const templates = await make("templates", "templategroup.create", { name: TEMPLATES });
  await make("template", "template.create", {
    host: `E2E template ${RUN}`,
    groups: [{ groupid: templates }],
  });
  await makeParts("template", ids["template"] ?? "", `E2E template ${RUN}`);
  await make("templateDashboard", "templatedashboard.create", {
    templateid: ids["template"],
    name: "Board",
    pages: [{ widgets: [{ type: "clock", x: 0, y: 0, width: 12, height: 3 }] }],
  });
  await make("host", "host.create", {
    host: `e2e-looked-at-${RUN}`,
    groups: [{ groupid }],
    inventory_mode: 0,
    inventory: { location: "room 1" },
    macros: [{ macro: "{$LIMIT}", value: "1" }],
  });
  await makeParts("host", ids["host"] ?? "", `e2e-looked-at-${RUN}`);
  await make("ownHost", "host.create", { host: `e2e-own-${RUN}`, groups: [{ groupid: own }] });
  await make("ownItem", "item.create", {
    hostid: ids["ownHost"],
    name: "Load",
    key_: "load",
    type: 2,
    value_type: 0,
  });
  await make("shared", "trigger.create", {
    description: "Both",
    expression: `last(/e2e-own-${RUN}/load)>1 and last(/e2e-looked-at-${RUN}/load)>1`,
    manual_close: 1,
  });
  await make("service", "service.create", { name: `E2E shop ${RUN}`, algorithm: 1, sortorder: 0 });
  await make("sla", "sla.create", {
    name: `E2E SLA ${RUN}`,
    slo: "99.9",
    period: 2,
    timezone: "UTC",
    effective_date: 1_700_006_400,
    service_tags: [{ tag: "a", value: "b" }],
  });
  const start = 1_900_000_000;
  await make("maintenance", "maintenance.create", {
    name: `E2E maintenance ${RUN}`,
    active_since: start,
    active_till: start + 7200,
    groups: [{ groupid }],
    timeperiods: [{ timeperiod_type: 0, start_date: start, period: 3600 }],
  });
  await make("map", "map.create", { name: `E2E map ${RUN}`, width: 600, height: 400, private: 0 });
  await make("dashboard", "dashboard.create", {
    name: `E2E dashboard ${RUN}`,
    private: 0,
    pages: [{ widgets: [{ type: "clock", x: 0, y: 0, width: 12, height: 3 }] }],
  });
  await make("oncall", "oncall.create", {
    name: `E2E on call ${RUN}`,
    timezone: "UTC",
    rotations: [
      { name: "all", length: "1d", time_from: start, users: [{ userid: "1" }], restrictions: [] },
    ],
  }).catch(() => undefined);
  type Roles = readonly { readonly roleid: string; readonly name: string }[];
  const roles = await callAs<Roles>(page, "role.get", { output: ["name"] });
  const roleOf = (name: string) => roles.find((it) => it.name === name)?.roleid;
  await make("lookers", "usergroup.create", {
    name: `E2E lookers ${RUN}`,
    hostgroup_rights: [{ id: groupid, permission: 2 }],
    templategroup_rights: [{ id: templates, permission: 2 }],
  });
  await make("partly", "usergroup.create", {
    name: `E2E partly ${RUN}`,
    hostgroup_rights: [
      { id: groupid, permission: 2 },
      { id: own, permission: 3 },
    ],
    templategroup_rights: [{ id: templates, permission: 2 }],
  });
  await make("guests", "role.create", {
    name: `E2E guests ${RUN}`,
    type: 1,
    rules: {
      actions: [
        "edit_dashboards",
        "edit_maps",
        "acknowledge_problems",
        "suppress_problems",
        "close_problems",
        "change_severity",
        "add_problem_comments",
        "change_problem_ranking",
        "execute_scripts",
        "manage_api_tokens",
        "invoke_execute_now",
        "edit_own_media",
      ].map((name) => ({ name, status: 0 })),
      "actions.default_access": 0,
      "services.write.mode": 0,
    },
  });
  const people = [
    ["viewer", roleOf("User role"), "lookers"],
    ["guest", ids["guests"], "lookers"],
    ["admin", roleOf("Admin role"), "lookers"],
    ["partly", roleOf("Admin role"), "partly"],
  ] as const;
  for (const [name, roleid, group] of people) {
    await callAs(page, "user.create", {
      username: `${name}-${RUN}`,
      passwd: PASSWORD,
      roleid,
      usrgrps: [{ usrgrpid: ids[group] }],
    });
  }
}

/** What a host or a template has. */
async function makeParts(of: "host" | "template", hostid: string, name: string): Promise<void> {
  const trapper = { hostid, type: 2, value_type: 0 };
  await make(`${of}Item`, "item.create", { ...trapper, name: "Load", key_: "load" });
  await make(`${of}Trigger`, "trigger.create", {
    description: "Too much",
    expression: `last(/${name}/load)>1`,
    manual_close: 1,
  });
  await make(`${of}Rule`, "discoveryrule.create", {
    hostid,
    name: "Disks",
    key_: "disks",
    type: 2,
  });
  const ruleid = ids[`${of}Rule`];
  await make(`${of}Prototype`, "itemprototype.create", {
    ...trapper,
    ruleid,
    name: "Disk {#D}",
    key_: "disk[{#D}]",
  });
  await make(`${of}TriggerPrototype`, "triggerprototype.create", {
    description: "Full {#D}",
    expression: `last(/${name}/disk[{#D}])>1`,
  });
  await make(`${of}Graph`, "graph.create", {
    name: "Load",
    width: 900,
    height: 200,
    gitems: [{ itemid: ids[`${of}Item`], color: "00AA00" }],
  });
  await make(`${of}Web`, "httptest.create", {
    hostid,
    name: "Shop",
    steps: [{ name: "first", url: "http://127.0.0.1/", no: 1, status_codes: "200" }],
  });
  await make(`${of}ValueMap`, "valuemap.create", {
    hostid,
    name: "States",
    mappings: [{ type: "0", value: "1", newvalue: "up" }],
  });
}

function partsOf(of: "host" | "template"): readonly string[] {
  const base = `/${of}s/${ids[of]}`;
  const rule = `${base}/discovery/${ids[`${of}Rule`]}`;
  return [
    `${base}/items`,
    `${base}/items/${ids[`${of}Item`]}`,
    `${base}/triggers`,
    `${base}/triggers/${ids[`${of}Trigger`]}`,
    `${base}/discovery`,
    rule,
    `${rule}/prototypes/${ids[`${of}Prototype`]}`,
    `${rule}/trigger-prototypes/${ids[`${of}TriggerPrototype`]}`,
    `${base}/graphs/list`,
    `${base}/graphs/list/${ids[`${of}Graph`]}`,
    `${base}/web`,
    `${base}/web/${ids[`${of}Web`]}`,
    `${base}/valuemaps`,
    `${base}/valuemaps/${ids[`${of}ValueMap`]}`,
    `${base}/macros`,
    `${base}/dashboards`,
    `${base}/configuration`,
  ];
}

/** Every page that somebody who is no super admin may have, with what they do not own. */
const pages = (): readonly string[] => [
  "/",
  "/start",
  "/dashboards",
  `/dashboards/${ids["dashboard"]}`,
  `/dashboards/${ids["dashboard"]}/edit`,
  "/problems",
  "/latest",
  "/latest?q=Load",
  "/graphs",
  "/web",
  "/maps",
  `/maps/${ids["map"]}`,
  `/maps/${ids["map"]}/edit`,
  "/services",
  `/services/${ids["service"]}`,
  "/services/new",
  "/sla",
  `/sla/${ids["sla"]}`,
  "/sla/new",
  "/oncall",
  `/oncall/${ids["oncall"]}`,
  `/oncall/${ids["oncall"]}/edit`,
  "/hosts",
  "/hosts/new",
  `/hosts/${ids["host"]}/overview`,
  `/hosts/${ids["host"]}/graphs`,
  `/hosts/${ids["host"]}/latest`,
  `/hosts/${ids["host"]}/problems`,
  `/hosts/${ids["host"]}/inventory`,
  `/hosts/${ids["host"]}/inventory/edit`,
  ...partsOf("host"),
  "/templates",
  "/templates/new",
  ...partsOf("template"),
  `/templates/${ids["template"]}/dashboards/${ids["templateDashboard"]}`,
  "/maintenance",
  `/maintenance/${ids["maintenance"]}`,
  "/discovered",
  "/network-discovery",
  "/actions",
  "/users",
  "/tokens",
  "/profile",
  "/media",
];

/** What changes something, by the names of buttons, links and entries. */
const CHANGES =
  /^(New|Add|Create|Save|Delete|Remove|Edit|Clone|Import|Enable|Disable|Link|Mass|Clear(?! search)|Execute|Set up|Start monitoring|Unblock|Override|Acknowledge|Update|Close problem|Run|Make|Regenerate|Upload|Rename)\b/;

/** What everybody has: of his own, or kept in the browser. */
const OWN: readonly (readonly [page: RegExp, name: RegExp])[] = [
  [/^\/profile$/, /^Save$/],
  [/^\/media$/, /./],
  [/^\/tokens/, /./],
];

const PRESSED = 'main :is(button, a[href]), nav[aria-label^="Host"] button, [role="menuitem"]';
const FILLED = "main form :is(input, textarea, select):not([readonly])";

/** What can be pressed or filled in by now, by its name. */
function controls(selector: string): Promise<string[]> {
  return browser.page.evaluate(
    (wanted) =>
      [...document.querySelectorAll(wanted)]
        .filter(
          (it) =>
            it.checkVisibility() && !it.matches(":disabled, [aria-disabled=true], [data-disabled]"),
        )
        .map((it) =>
          (it.getAttribute("aria-label") ?? (it.textContent || it.id)).trim().replace(/\s+/g, " "),
        ),
    selector,
  );
}

interface Found {
  readonly path: string;
  readonly what: string;
}

/** Looks at all pages as somebody; `may`: what he is let change all the same. */
async function walk(may: (path: string, name: string) => boolean): Promise<readonly string[]> {
  const { page } = browser;
  const found: Found[] = [];
  let path = "";
  const read: Promise<void>[] = [];
  const onAnswer = (response: Response) => void read.push(readAnswer(response, path));
  page.on("response", onAnswer);
  async function readAnswer(response: Response, at: string): Promise<void> {
    const url = new URL(response.url());
    if (response.status() === 403) found.push({ path: at, what: `403 of ${url.pathname}` });
    if (url.pathname !== "/api_jsonrpc.php") return;
    const text = await response.text().catch(() => "");
    if (text.includes("No permissions")) found.push({ path: at, what: `refused: ${text}` });
  }
  const look = async () => {
    const pressed = await controls(PRESSED);
    const filled = await controls(FILLED);
    const isOwn = (name: string) => OWN.some(([of, it]) => of.test(path) && it.test(name));
    const wrong = pressed.filter((it) => CHANGES.test(it) && !isOwn(it) && !may(path, it));
    found.push(...wrong.map((what) => ({ path, what: `button ${what}` })));
    if (OWN.some(([of]) => of.test(path)) || may(path, "form")) return;
    found.push(...filled.map((what) => ({ path, what: `field ${what}` })));
  };
  for (const next of pages()) {
    path = next;
    await page.goto(`${target.url}${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await atRest(page);
    await look();
    // what lists offer for rows that are picked
    const box = page.getByRole("checkbox", { name: "Pick all" }).first();
    if (!(await box.isVisible()) || !(await box.isEnabled())) continue;
    await box.click();
    await atRest(page);
    const menus = page.getByRole("main").getByRole("button", { name: /^\d/ });
    if ((await menus.count()) > 0) {
      await menus.first().click();
      await page.getByRole("menu").first().waitFor();
      await atRest(page);
    }
    await look();
  }
  page.off("response", onAnswer);
  await Promise.all(read);
  return found.map((it) => `${it.path}: ${it.what}`);
}

async function become(name: string): Promise<void> {
  const { page } = browser;
  await page.context().clearCookies();
  await page.goto(`${target.url}/login`);
  await page.getByRole("textbox", { name: "User name", exact: true }).fill(`${name}-${RUN}`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

const OWN_OBJECTS = /^(New dashboard|New map|Clone|Create the first one|Create)/;
const PROBLEMS = /^(Acknowledge|Update|Execute)/;

test("a user who may read a group finds no control that is refused", async () => {
  await become("viewer");
  // the role lets make dashboards and maps of one's own, and work on problems
  const found = await walk((_, name) => OWN_OBJECTS.test(name) || PROBLEMS.test(name));
  assert.deepEqual(found, []);
});

test("a guest whose role has no action finds none at all", async () => {
  await become("guest");
  assert.deepEqual(await walk(() => false), []);
});

test("an admin who may only read finds none for what is others'", async () => {
  await become("admin");
  const found = await walk(
    (path, name) =>
      OWN_OBJECTS.test(name) ||
      PROBLEMS.test(name) ||
      // what has no host yet is everybody's who is an admin
      /^\/(sla|oncall|services|network-discovery|discovered|actions)/.test(path),
  );
  assert.deepEqual(found, []);
});
