import { expect, test } from "vitest";
import type { Action, ActionCondition } from "@/api/actions";
import { fieldError } from "@/lib/field-errors";
import { keyed } from "@/widgets/keyed";
import { AUTOREGISTRATION, conditionText, INTERNAL, TRIGGERS } from "./conditions";
import {
  type ActionFields,
  draftOf,
  fieldsOf,
  isComplete,
  newOperation,
  operationText,
} from "./draft";
import { durationText, runsOf, type Step, whenText } from "./timeline";

const nameOf = (kind: string, id: string) => `${kind} ${id}`;

function condition(given: Partial<ActionCondition>): ActionCondition {
  return { conditiontype: "4", operator: "5", value: "3", value2: "", formulaid: "A", ...given };
}

function complete(change: Partial<ActionFields> = {}): ActionFields {
  const fields = fieldsOf(undefined, TRIGGERS);
  const message = { ...newOperation(TRIGGERS, "operations"), userGroups: ["7"] };
  return { ...fields, name: " Notify ", operations: [message], ...change };
}

test("a new action reports problems, their end and their updates, once it has a recipient", () => {
  expect(isComplete({ ...fieldsOf(undefined, TRIGGERS), name: "x" })).toBe(false);
  const fields = complete();
  expect(isComplete(fields)).toBe(true);
  expect(draftOf(fields)).toEqual({
    name: "Notify",
    eventsource: "0",
    status: "0",
    esc_period: "1h",
    pause_suppressed: "1",
    pause_symptoms: "1",
    notify_if_canceled: "1",
    filter: { evaltype: "0", conditions: [] },
    operations: [
      {
        operationtype: "0",
        esc_period: "0",
        esc_step_from: "1",
        esc_step_to: "1",
        evaltype: "0",
        opconditions: [],
        opmessage: { default_msg: "1", mediatypeid: "0" },
        opmessage_grp: [{ usrgrpid: "7" }],
        opmessage_usr: [],
      },
    ],
    recovery_operations: [{ operationtype: "11", opmessage: { default_msg: "1" } }],
    update_operations: [{ operationtype: "12", opmessage: { default_msg: "1", mediatypeid: "0" } }],
  });
});

test("only what an event source has is sent", () => {
  const internal = draftOf({ ...complete(), eventsource: INTERNAL });
  expect(internal).not.toHaveProperty("pause_symptoms");
  expect(internal).not.toHaveProperty("update_operations");
  expect(internal.operations?.[0]).not.toHaveProperty("opconditions");
  const operation = { ...newOperation(AUTOREGISTRATION, "operations"), operationtype: "4" };
  const registered = { ...fieldsOf(undefined, AUTOREGISTRATION), name: "x" };
  expect(isComplete({ ...registered, operations: [operation] })).toBe(false);
  const fields = { ...registered, operations: [{ ...operation, hostGroups: ["5"] }] };
  expect(isComplete(fields)).toBe(true);
  expect(draftOf(fields)).toEqual({
    name: "x",
    eventsource: "2",
    status: "0",
    filter: { evaltype: "0", conditions: [] },
    operations: [{ operationtype: "4", opgroup: [{ groupid: "5" }] }],
  });
});

test("what is read and not touched is sent as it was", () => {
  const operation = {
    operationtype: "0",
    esc_period: "5m",
    esc_step_from: "2",
    esc_step_to: "0",
    evaltype: "1",
    opconditions: [{ value: "0" }],
    opmessage: { default_msg: "0", mediatypeid: "4", subject: "s", message: "m" },
    opmessage_grp: [],
    opmessage_usr: [{ userid: "3" }],
    opmessage_oncall: [{ oncallid: "12" }],
  };
  const none = {
    opcommand_grp: [],
    opcommand_hst: [],
    opgroup: [],
    optemplate: [],
    optag: [],
  };
  const read = {
    ...operation,
    ...none,
    operationid: "1",
    opconditions: [{ conditiontype: "14", operator: "0", value: "0" }],
  };
  const action: Action = {
    actionid: "9",
    name: "a",
    eventsource: "0",
    status: "1",
    esc_period: "{$STEP}",
    pause_symptoms: "0",
    pause_suppressed: "0",
    notify_if_canceled: "0",
    filter: {
      evaltype: "3",
      formula: "B or A",
      conditions: [
        condition({ formulaid: "B" }),
        condition({
          conditiontype: "26",
          operator: "2",
          value: "db",
          value2: "class",
          formulaid: "A",
        }),
      ],
    },
    operations: [read],
    recovery_operations: [],
    update_operations: [],
  };
  const fields = fieldsOf(action, TRIGGERS);
  expect(isComplete(fields)).toBe(true);
  const { filter, operations, ...rest } = draftOf(fields);
  expect(rest).toMatchObject({ esc_period: "{$STEP}", status: "1", notify_if_canceled: "0" });
  expect(filter).toEqual({
    evaltype: "3",
    formula: "B or A",
    conditions: [
      { conditiontype: "4", operator: "5", value: "3", formulaid: "B" },
      { conditiontype: "26", operator: "2", value: "db", value2: "class", formulaid: "A" },
    ],
  });
  expect(operations).toEqual([
    { ...operation, opconditions: [{ conditiontype: "14", operator: "0", value: "0" }] },
  ]);
});

test("conditions are read as sentences", () => {
  expect(conditionText(condition({}), nameOf)).toBe("Severity at least Average");
  expect(conditionText(condition({ conditiontype: "0", operator: "1", value: "5" }), nameOf)).toBe(
    "Host group does not equal hostGroup 5",
  );
  const suppressed = { conditiontype: "16", operator: "11", value: "" };
  expect(conditionText(condition(suppressed), nameOf)).toBe("problem is not suppressed");
});

test("an action is complete once its formula names each condition", () => {
  const own = complete({ evaltype: "3", formula: "A and B" });
  expect(isComplete({ ...own, conditions: [keyed(condition({}))] })).toBe(false);
});

function lines(steps: readonly Step[], period: string): string[] {
  return runsOf(steps, period).map((run) => `${whenText(run)}: ${run.texts.join("; ")}`);
}

test("the timeline shows the time of each step, as the example of the manual", () => {
  const step = (from: number, to: number, text: string, period = "0") => ({
    from,
    to,
    period,
    text,
  });
  expect(lines([step(1, 3, "group"), step(3, 3, "head")], "30m")).toEqual([
    "0 min, 30 min: group",
    "1 h: group; head",
  ]);
  // the shortest period of a step's operations, where one has a period, is the step's
  expect(lines([step(1, 0, "a"), step(2, 2, "b", "5m"), step(2, 2, "c", "90s")], "1h")).toEqual([
    "0 min: a",
    "1 h: a; b; c",
    "1 h 1 min 30 s, then every 1 h without end: a",
  ]);
  expect(lines([step(2, 10, "a")], "1h")).toEqual(["1 h, then every 1 h, 9 times in total: a"]);
  expect(lines([step(1, 1, "a"), step(3, 4, "b")], "{$P}")).toEqual([
    "0 min: a",
    "steps 3 to 4: b",
  ]);
  expect(lines([step(1, 99_999, "a")], "1m")).toHaveLength(1);
  expect([durationText(0), durationText(90_060)]).toEqual(["0 min", "1 d 1 h 1 min"]);
});

test("operations are described in a few words", () => {
  const message = {
    ...newOperation(TRIGGERS, "operations"),
    users: ["3"],
    mediatypeid: "4",
    acknowledged: "0",
  };
  expect(operationText(message, nameOf)).toBe(
    "message to user 3 by mediaType 4 if not acknowledged",
  );
  expect(operationText(newOperation(TRIGGERS, "operations"), nameOf)).toBe("message to nobody yet");
});

test("errors of a field are separated from errors of the action", () => {
  expect(fieldError('Invalid parameter "/1/filter/conditions/2/value": cannot be empty.')).toEqual({
    path: "/1/filter/conditions/2/value",
    message: "cannot be empty",
  });
  expect(fieldError('No operations defined for action "x".')).toBeUndefined();
});
