import { expect, test } from "vitest";
import type { ExplainedAction, ExplainedAlert, Explanation } from "@/api/explain";
import {
  actionsInOrder,
  actionText,
  alertText,
  alertTo,
  dependencyText,
  expressionVerdict,
  masterText,
  suppressionTexts,
  verdictOf,
} from "./verdicts";

const ACTION: ExplainedAction = {
  actionid: "3",
  name: "Notify Ada",
  is_enabled: true,
  is_met: true,
  fault: null,
  formula: "A",
  conditions: [],
  waits_while: null,
};

const ALERT: ExplainedAlert = {
  alertid: "1",
  actionid: "3",
  clock: "110",
  sendto: "ada@example.com",
  subject: "Disk full",
  status: "1",
  retries: "0",
  error: "",
  esc_step: "1",
  alerttype: "0",
  digestid: "0",
  held_until: "0",
  mediatypes: [{ name: "E-mail" }],
  users: [{ username: "ada" }],
};

const EXPLAINED: Explanation = {
  eventid: "5",
  source: "0",
  clock: 100,
  value: "1",
  trigger: null,
  cause: null,
  suppression: { is_suppressed: false, by: [] },
  correlation: { closed_by: null, rules: [] },
  actions: [],
  alerts: [],
};

test("what nobody can say is neither met nor unmet", () => {
  expect([true, false, null].map((is_met) => verdictOf({ is_met }))).toEqual([
    "yes",
    "no",
    "unknown",
  ]);
  expect(["1", "0", "0.0", null].map((value) => expressionVerdict({ value }))).toEqual([
    "yes",
    "no",
    "no",
    "unknown",
  ]);
});

test("an action says what it did, else why it did nothing", () => {
  const texts = (
    [
      [{}, [ALERT]],
      [{}, [ALERT, { ...ALERT, alertid: "2" }]],
      [{}, []],
      [{ is_met: false }, []],
      [{ is_met: false }, [ALERT]],
      [{ is_enabled: false }, []],
      [{ is_enabled: false }, [ALERT]],
      [{ waits_while: "flapping" }, []],
      [{ waits_while: "suppressed" }, []],
      [{ waits_while: "symptom" }, []],
      [{ fault: "no label C" }, []],
      [{}, [{ ...ALERT, actionid: "4" }]],
    ] as const
  ).map(([more, alerts]) => actionText({ ...ACTION, ...more }, alerts));
  expect(texts).toEqual([
    "1 message or command",
    "2 messages or commands",
    "for this event; nothing was sent",
    "not for this event",
    "conditions no longer match: 1 message or command",
    "disabled",
    "now disabled: 1 message or command",
    "waits while the trigger changes too often",
    "waits while the problem is suppressed",
    "waits while the problem is a symptom",
    "matches nothing: no label C",
    "for this event; nothing was sent",
  ]);
});

test("actions that did something come first, then those that would", () => {
  const of = (actionid: string, more: Partial<ExplainedAction>) => ({
    ...ACTION,
    actionid,
    name: actionid,
    ...more,
  });
  const actions = [
    of("unmet", { is_met: false }),
    of("disabled", { is_enabled: false }),
    of("b", {}),
    of("a", {}),
    of("did", { is_met: false }),
  ];
  const alerts = [{ ...ALERT, actionid: "did" }];
  const order = actionsInOrder({ ...EXPLAINED, actions, alerts }).map(({ name }) => name);
  expect(order).toEqual(["did", "a", "b", "disabled", "unmet"]);
});

test("a trigger above says what it had then and has now", () => {
  const of = (had_problem: boolean, has_problem: boolean) =>
    masterText({ triggerid: "1", name: "Router", had_problem, has_problem });
  expect([of(true, true), of(true, false), of(false, true), of(false, false)]).toEqual([
    "was in problem state then",
    "was in problem state then, is not in problem state now",
    "was not in problem state then, is in problem state now",
    "was not in problem state then",
  ]);
  expect(dependencyText([])).toBe("The trigger depends on no other.");
});

test("suppression is shown with its user and its end", () => {
  const one = { maintenanceid: "0", maintenance: null, userid: "1", suppress_until: "0" };
  const by = [
    one,
    { ...one, maintenanceid: "7", maintenance: "Sunday" },
    { ...one, maintenanceid: "8" },
  ];
  const texts = suppressionTexts({ ...EXPLAINED, suppression: { is_suppressed: true, by } });
  expect(texts).toEqual(["by a user", "by the maintenance Sunday", "by the maintenance #8"]);
  const until = { ...one, suppress_until: "1700000000" };
  const [text] = suppressionTexts({
    ...EXPLAINED,
    suppression: { is_suppressed: true, by: [until] },
  });
  expect(text).toMatch(/^by a user until .*2023/);
});

test("messages are shown with their result", () => {
  expect(alertText(ALERT)).toBe("sent");
  expect(alertText({ ...ALERT, alerttype: "1" })).toBe("executed");
  const failed = { ...ALERT, status: "2", retries: "3", error: "550 no such mailbox" };
  expect(alertText(failed)).toBe("failed, 3 failed attempts: 550 no such mailbox");
  expect(alertText({ ...ALERT, digestid: "7" })).toBe("in digest 7, sent");
  expect(alertText({ ...ALERT, digestid: "1" })).toBe("sent");
  const held = { ...ALERT, status: "0", held_until: "1700000000" };
  expect(alertText(held)).toMatch(/^waits until .*2023/);
  expect(alertTo(ALERT)).toBe("ada · ada@example.com · E-mail");
  expect(alertTo({ ...ALERT, alerttype: "1", users: [], sendto: "" })).toBe("command");
});
