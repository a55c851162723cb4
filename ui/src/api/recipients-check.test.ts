import { expect, test } from "vitest";
import type { Action, ActionOperation } from "./actions";
import { checkRecipients, type Recipient } from "./recipients-check";

const OPERATION: ActionOperation = {
  operationid: "1",
  operationtype: "0",
  opmessage: { default_msg: "1", mediatypeid: "0", subject: "", message: "" },
  esc_period: "0",
  opmessage_grp: [{ usrgrpid: "7" }],
  opmessage_usr: [],
  opmessage_oncall: [],
  opconditions: [],
  opcommand_grp: [],
  opcommand_hst: [],
  opgroup: [],
  optemplate: [],
  optag: [],
};
const ACTION: Action = {
  actionid: "1",
  name: "a",
  eventsource: "0",
  status: "0",
  esc_period: "1h",
  pause_symptoms: "1",
  pause_suppressed: "1",
  notify_if_canceled: "1",
  filter: { evaltype: "0", formula: "", conditions: [] },
  operations: [OPERATION],
  recovery_operations: [],
  update_operations: [],
};
const ADMIN: Recipient = {
  userid: "1",
  usrgrps: [{ usrgrpid: "7", users_status: "0" }],
  medias: [{ mediatypeid: "4", active: "0" }],
};
const TYPES = new Set(["4"]);

test("a user is notified if action, address and media type exist and are enabled", () => {
  expect(checkRecipients([ACTION], [ADMIN], TYPES).isAnybodyNotified).toBe(true);
  const direct = { ...OPERATION, opmessage_grp: [], opmessage_usr: [{ userid: "1" }] };
  expect(
    checkRecipients([{ ...ACTION, operations: [direct] }], [ADMIN], TYPES).isAnybodyNotified,
  ).toBe(true);
});

test("nobody is notified if one of them is missing or disabled", () => {
  const off: Action = { ...ACTION, status: "1" };
  expect(checkRecipients([off], [ADMIN], TYPES)).toEqual({
    hasMediaType: true,
    hasAddress: true,
    hasAction: false,
    isAnybodyNotified: false,
  });
  expect(checkRecipients([ACTION], [ADMIN], new Set())).toEqual({
    hasMediaType: false,
    hasAddress: false,
    hasAction: true,
    isAnybodyNotified: false,
  });
  const silent: Recipient = { ...ADMIN, medias: [{ mediatypeid: "4", active: "1" }] };
  const disabled: Recipient = {
    ...ADMIN,
    usrgrps: [...ADMIN.usrgrps, { usrgrpid: "9", users_status: "1" }],
  };
  const stranger: Recipient = { ...ADMIN, usrgrps: [{ usrgrpid: "8", users_status: "0" }] };
  for (const it of [silent, disabled, stranger]) {
    expect(checkRecipients([ACTION], [it], TYPES).isAnybodyNotified).toBe(false);
  }
  const internal: Action = { ...ACTION, eventsource: "3" };
  expect(checkRecipients([internal], [ADMIN], TYPES).hasAction).toBe(false);
  const message = { default_msg: "1", mediatypeid: "5", subject: "", message: "" };
  const byOther = [{ ...OPERATION, opmessage: message }];
  expect(
    checkRecipients([{ ...ACTION, operations: byOther }], [ADMIN], TYPES).isAnybodyNotified,
  ).toBe(false);
});
