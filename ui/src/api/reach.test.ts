import { expect, test } from "vitest";
import type { Action } from "./actions";
import { type Recipient, reachOf } from "./reach";

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
  operations: [
    {
      operationtype: "0",
      opmessage: { default_msg: "1", mediatypeid: "0", subject: "", message: "" },
      opmessage_grp: [{ usrgrpid: "7" }],
    },
  ],
  recovery_operations: [],
  update_operations: [],
};
const ADMIN: Recipient = {
  userid: "1",
  usrgrps: [{ usrgrpid: "7", users_status: "0" }],
  medias: [{ mediatypeid: "4", active: "0" }],
};
const TYPES = new Set(["4"]);

test("somebody is told when action, address and media type are there, and all are enabled", () => {
  expect(reachOf([ACTION], [ADMIN], TYPES).isAnybodyTold).toBe(true);
  const [operation] = ACTION.operations;
  const direct = {
    ...operation,
    operationtype: "0",
    opmessage_grp: [],
    opmessage_usr: [{ userid: "1" }],
  };
  expect(reachOf([{ ...ACTION, operations: [direct] }], [ADMIN], TYPES).isAnybodyTold).toBe(true);
});

test("each thing that is missing keeps everybody from being told", () => {
  const off: Action = { ...ACTION, status: "1" };
  expect(reachOf([off], [ADMIN], TYPES)).toEqual({
    hasMediaType: true,
    hasAddress: true,
    hasAction: false,
    isAnybodyTold: false,
  });
  expect(reachOf([ACTION], [ADMIN], new Set())).toEqual({
    hasMediaType: false,
    hasAddress: false,
    hasAction: true,
    isAnybodyTold: false,
  });
  const silent: Recipient = { ...ADMIN, medias: [{ mediatypeid: "4", active: "1" }] };
  const disabled: Recipient = {
    ...ADMIN,
    usrgrps: [...ADMIN.usrgrps, { usrgrpid: "9", users_status: "1" }],
  };
  const stranger: Recipient = { ...ADMIN, usrgrps: [{ usrgrpid: "8", users_status: "0" }] };
  for (const it of [silent, disabled, stranger]) {
    expect(reachOf([ACTION], [it], TYPES).isAnybodyTold).toBe(false);
  }
  const internal: Action = { ...ACTION, eventsource: "3" };
  expect(reachOf([internal], [ADMIN], TYPES).hasAction).toBe(false);
  const message = { default_msg: "1", mediatypeid: "5", subject: "", message: "" };
  const byOther = [{ operationtype: "0", opmessage: message, opmessage_grp: [{ usrgrpid: "7" }] }];
  expect(reachOf([{ ...ACTION, operations: byOther }], [ADMIN], TYPES).isAnybodyTold).toBe(false);
});
