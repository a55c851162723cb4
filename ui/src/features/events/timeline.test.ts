import { expect, test } from "vitest";
import type { EventAlert, WholeEvent } from "@/api/event-details";
import { timelineOf } from "./timeline";

const ALERT: EventAlert = {
  alertid: "1",
  clock: "110",
  sendto: "a@b.c",
  subject: "Problem: Disk full",
  message: "text",
  status: "1",
  error: "",
  esc_step: "1",
  alerttype: "0",
  mediatypes: [{ name: "E-mail" }],
  users: [{ username: "Admin" }],
};

const WHOLE: WholeEvent = {
  event: {
    eventid: "5",
    source: "0",
    object: "0",
    objectid: "7",
    clock: "100",
    value: "1",
    name: "Disk full",
    severity: "4",
    acknowledged: "1",
    opdata: "",
    r_eventid: "6",
    cause_eventid: "0",
    tags: [],
    hosts: [],
    suppression_data: [],
    acknowledges: [
      {
        acknowledgeid: "1",
        userid: "1",
        username: "Admin",
        clock: "120",
        message: "on it",
        action: "6",
        old_severity: "0",
        new_severity: "0",
        suppress_until: "0",
      },
    ],
  },
  end: { eventid: "6", name: "", clock: "200", severity: "0", r_eventid: "0" },
  begin: undefined,
  cause: undefined,
  symptoms: [],
  alerts: [
    { ...ALERT, alertid: "3", clock: "200", esc_step: "0", subject: "Resolved: Disk full" },
    { ...ALERT, alertid: "2", clock: "115", status: "2", error: "refused", users: [] },
    ALERT,
  ],
};

test("entries are in order, each message with its state, failed ones with the reason", () => {
  expect(timelineOf(WHOLE).map(({ text, note, tone }) => [text, note, tone])).toEqual([
    ["Problem", "Disk full", "bad"],
    ["step 1, E-mail to Admin · a@b.c: sent", "Problem: Disk full", "plain"],
    ["step 1, E-mail to a@b.c: failed", "refused", "bad"],
    ["Admin: acknowledged", "on it", "plain"],
    ["Resolved", "", "ok"],
    ["E-mail to Admin · a@b.c: sent", "Resolved: Disk full", "plain"],
  ]);
});

test("a recovery is shown as a recovery, and commands are executed", () => {
  const end = { ...WHOLE.event, value: "0", acknowledges: [], clock: "200" };
  const command = { ...ALERT, alerttype: "1", mediatypes: [], users: [], sendto: "", subject: "" };
  const entries = timelineOf({ ...WHOLE, event: end, end: undefined, alerts: [command] });
  expect(entries.map(({ text }) => text)).toEqual(["step 1, Command: executed", "Resolved"]);
});
