// From a problem to a person, as the guide describes it (docs/user/from-problem-to-person.md): an action, a mail that is
// really received, an acknowledgement, the end. The pictures of that page are made here.

import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shot, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

// a server that is given may have these names from a run before
const SUFFIX = process.env["SAKER_E2E_URL"] === undefined ? "" : ` ${Date.now().toString(36)}`;
const HOST = `db-1${SUFFIX.replace(" ", "-")}`;
const PROBLEM = `Load is high${SUFFIX}`;

let target: Target;
let browser: Browser;
let page: Page;
let mail: MailServer;

interface MailServer {
  readonly port: number;
  readonly subjects: string[];
  readonly close: () => void;
}

/** Takes every mail, and keeps its subject. */
async function receiveMail(): Promise<MailServer> {
  const subjects: string[] = [];
  const server: Server = createServer((socket) => {
    let buffer = "";
    let data: string[] | undefined;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const take = (line: string) => {
      if (data !== undefined) {
        if (line !== ".") {
          data.push(line);
          return;
        }
        const subject = data.find((it) => it.startsWith("Subject: ")) ?? "";
        subjects.push(subject.slice("Subject: ".length));
        data = undefined;
        say("250 kept");
      } else if (/^EHLO/i.test(line)) say("250 mail.example.com");
      else if (/^DATA/i.test(line)) {
        data = [];
        say("354 go on");
      } else if (/^QUIT/i.test(line)) {
        say("221 bye");
        socket.end();
      } else say("250 fine");
    };
    socket.setEncoding("latin1");
    socket.on("error", () => socket.destroy());
    socket.on("data", (part) => {
      buffer += String(part);
      const lines = buffer.split("\r\n");
      buffer = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
    say("220 mail.example.com");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { port, subjects, close: () => server.close() };
}

before(async () => {
  mail = await receiveMail();
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
  mail?.close();
});

async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + STEP_MS;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not in time: ${what}; received: ${mail.subjects}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function picture(name: string): Promise<void> {
  await page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
  await shot(page, name);
}

async function makeWorld(): Promise<string> {
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `Databases${SUFFIX}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
    macros: [{ macro: "{$LOAD.MAX}", value: "5" }],
  });
  await callAs(page, "item.create", {
    hostid: host.hostids[0],
    name: "Load average",
    key_: "load",
    type: 2,
    value_type: 0,
  });
  await callAs(page, "trigger.create", {
    description: PROBLEM,
    expression: `last(/${HOST}/load)>{$LOAD.MAX}`,
    priority: 4,
    opdata: "now {ITEM.LASTVALUE}",
    tags: [{ tag: "class", value: "database" }],
  });
  const mediatype = await callAs<{ mediatypeids: string[] }>(page, "mediatype.create", {
    name: `Mail${SUFFIX}`,
    type: 0,
    smtp_server: "127.0.0.1",
    smtp_port: mail.port,
    smtp_email: "Saker <saker@example.com>",
    message_templates: [
      ["0", "Problem: {EVENT.NAME} on {HOST.NAME}", "{EVENT.OPDATA}"],
      ["1", "Over: {EVENT.NAME} after {EVENT.DURATION}", "{EVENT.OPDATA}"],
      ["2", "{USER.FULLNAME}: {EVENT.NAME}", "{EVENT.UPDATE.MESSAGE}"],
    ].map(([recovery, subject, message]) => ({ eventsource: "0", recovery, subject, message })),
  });
  const users = await callAs<{ usrgrpids: string[] }>(page, "usergroup.create", {
    name: `Database people${SUFFIX}`,
    hostgroup_rights: [{ id: group.groupids[0], permission: 3 }],
  });
  // people of one group know each other by name
  const all = await callAs<{ usrgrpids: string[] }>(page, "usergroup.create", {
    name: `Operations${SUFFIX}`,
    users: [{ userid: "1" }],
  });
  await callAs(page, "user.create", {
    username: `ada${SUFFIX}`,
    name: "Ada",
    surname: "Lovelace",
    passwd: "a long word for tests",
    roleid: "1",
    usrgrps: [{ usrgrpid: users.usrgrpids[0] }, { usrgrpid: all.usrgrpids[0] }],
    medias: [{ mediatypeid: mediatype.mediatypeids[0], sendto: ["ada@example.com"] }],
  });
  const action = await callAs<{ actionids: string[] }>(page, "action.create", {
    name: `Notify the database people${SUFFIX}`,
    eventsource: 0,
    esc_period: "30m",
    filter: {
      evaltype: 1,
      conditions: [
        { conditiontype: 26, operator: 0, value: "database", value2: "class" },
        { conditiontype: 4, operator: 5, value: "3" },
      ],
    },
    operations: [
      {
        operationtype: 0,
        esc_step_from: 1,
        esc_step_to: 3,
        opmessage: { default_msg: 1 },
        opmessage_grp: [{ usrgrpid: users.usrgrpids[0] }],
        opconditions: [{ conditiontype: 14, operator: 0, value: "0" }],
      },
    ],
    recovery_operations: [{ operationtype: 11, opmessage: { default_msg: 1 } }],
    update_operations: [{ operationtype: 12, opmessage: { default_msg: 1 } }],
  });
  return action.actionids[0] ?? "";
}

test("a problem reaches a person, who answers, and hears of its end", async () => {
  const { send } = target;
  if (send === undefined) return;
  const actionid = await makeWorld();
  await page.goto(`${target.url}/actions/${actionid}`);
  await page.getByText("Database people").first().waitFor();
  await picture("person-action");

  await send(HOST, "load", "9");
  await until("the mail", () => mail.subjects.length === 1);
  assert.equal(mail.subjects[0], `Problem: ${PROBLEM} on ${HOST}`);

  await page.goto(`${target.url}/problems?q=${HOST}`);
  const row = page.getByRole("row").filter({ hasText: PROBLEM });
  await row.getByText(PROBLEM).click();
  const panel = page.getByRole("complementary");
  await panel.getByText("Explain", { exact: true }).click();
  const notified = panel.getByRole("region", { name: "Notifications", exact: true });
  await notified.getByText("ada@example.com").waitFor();
  await notified.getByText("sent", { exact: true }).waitFor();
  await notified.scrollIntoViewIfNeeded();
  await picture("person-explain");

  const [problem] = await callAs<{ eventid: string }[]>(page, "problem.get", {
    output: ["eventid"],
    search: { name: PROBLEM },
  });
  assert.ok(problem !== undefined);
  await callAs(page, "event.acknowledge", {
    eventids: [problem.eventid],
    action: 6,
    message: "A report runs until noon",
  });
  await until("the mail of the update", () => mail.subjects.length === 2);
  assert.equal(mail.subjects[1], `Saker Administrator (Admin): ${PROBLEM}`);
  await send(HOST, "load", "1");
  await until("the mail of the end", () => mail.subjects.length === 3);
  assert.ok(mail.subjects[2]?.startsWith(`Over: ${PROBLEM} after `), mail.subjects[2]);

  await page.goto(`${target.url}/events/${problem.eventid}`);
  const timeline = page.getByRole("region", { name: "Timeline", exact: true });
  await timeline.getByText("A report runs until noon").waitFor();
  await picture("person-event");
  await page.goto(`${target.url}/alerts`);
  await page.getByText("ada@example.com").first().waitFor();
  await picture("person-messages");
  assert.deepEqual(browser.complaints, []);
});
