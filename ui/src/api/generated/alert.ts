// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { MediaType } from "./media-type";
import type { User } from "./user";

/** A message or a command of an action. */
export interface Alert {
  /** Id; later alerts have greater ones. */
  readonly alertid: string;
  /** Action that created it. */
  readonly actionid: string;
  /** Event that it is about. */
  readonly eventid: string;
  /** Recipient; 0 of commands. */
  readonly userid: string;
  /** When it was made. */
  readonly clock: string;
  /** Media type; 0 of commands. */
  readonly mediatypeid: string;
  /** Address; several are separated by commas. */
  readonly sendto: string;
  /** Subject, with macros resolved. */
  readonly subject: string;
  /** Text with macros resolved, or the command. */
  readonly message: string;
  /** 0 not sent, 1 sent (of commands: executed), 2 given up, 3 new. */
  readonly status: string;
  /** Attempts that failed. */
  readonly retries: string;
  /** What the last attempt ended with. */
  readonly error: string;
  /** Step of the escalation; 1 of recoveries and updates. */
  readonly esc_step: string;
  /** 0 message, 1 command. */
  readonly alerttype: string;
  /** Of recoveries and updates: the problem. */
  readonly p_eventid: string;
  /** Of updates: the entry. */
  readonly acknowledgeid: string;
  /** Saker's own: the digest that this alert is sent with; its own id: it is the digest; 0: it is sent by itself. */
  readonly digestid: string;
  /** Saker's own: when a message that waits for a digest or for the end of quiet hours is sent; 0: it does not wait. */
  readonly held_until: string;
}

/** The properties of `select…` parameters. */
export interface AlertSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectMediatypes`. */
  readonly mediatypes: readonly MediaType[];
  /** `selectUsers`. */
  readonly users: readonly User[];
}

/** Parameters of `alert.get`. */
export interface AlertGet extends GetParams<keyof Alert> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectMediatypes?: Output<keyof MediaType> | undefined;
  readonly selectUsers?: Output<keyof User> | undefined;
}

/** What forms and readers of answers have to know of it. */
export const ALERT = {
  object: "alert",
  id: "alertid",
  ids: "alertids",
  fields: {
    alertid: { type: "id", readOnly: true },
    actionid: { type: "id", readOnly: true },
    eventid: { type: "id", readOnly: true },
    userid: { type: "id", readOnly: true },
    clock: { type: "time", readOnly: true },
    mediatypeid: { type: "id", readOnly: true },
    sendto: { type: "text", max: 65535, readOnly: true },
    subject: { type: "text", max: 65535, readOnly: true },
    message: { type: "text", max: 65535, readOnly: true },
    status: {
      type: "code",
      codes: ["0", "1", "2", "3"],
      readOnly: true,
      names: { NOT_SENT: "0", SENT: "1", FAILED: "2", NEW: "3" },
    },
    retries: { type: "int", min: 0, max: 100, readOnly: true },
    error: { type: "text", max: 65535, readOnly: true },
    esc_step: { type: "int", min: 0, max: 2147483647, readOnly: true },
    alerttype: {
      type: "code",
      codes: ["0", "1"],
      readOnly: true,
      names: { MESSAGE: "0", COMMAND: "1" },
    },
    p_eventid: { type: "id", readOnly: true },
    acknowledgeid: { type: "id", readOnly: true },
    digestid: { type: "id", readOnly: true },
    held_until: { type: "time", readOnly: true },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    mediatypes: { param: "selectMediatypes", objects: "mediatype" },
    users: { param: "selectUsers", objects: "user" },
  },
} as const;
