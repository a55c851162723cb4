// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** The audit log: changes by users and the server, logins, scripts, pushed values of the last 31 days. */
export interface AuditRecord {
  /** Id, a CUID; later ones are greater. */
  readonly auditid: string;
  /** The user; 0: the server, or an unknown user. */
  readonly userid: string;
  /** The user's name at that time, as typed at a login; System: the server. */
  readonly username: string;
  /** When. */
  readonly clock: string;
  /** From where; empty if the server did it. */
  readonly ip: string;
  /** 0 add, 1 update, 2 delete, 4 logout, 7 execute, 8 login, 9 failed login, 10 history clear, 12 push. */
  readonly action: string;
  /** As in Zabbix: 0 user, 4 host, 11 user group, 13 trigger, 14 host group, 15 item, 17 value map, 28 regular expression, 29 macro, 30 template, 31 trigger prototype, 36 item prototype, 44 role, 45 token, 50 template group, 52 discovery rule, 53 history and so on. */
  readonly resourcetype: string;
  /** Id of the object; of an executed script the host. */
  readonly resourceid: string;
  /** 0: nothing here has such an id. */
  readonly resource_cuid: string;
  /** Name of it, before an update. */
  readonly resourcename: string;
  /** The same for all that was done at once. */
  readonly recordsetid: string;
  /** JSON: for each field its path, what was done (add, update, delete), the value, and of updates the value before. */
  readonly details: string;
}

/** The properties of `select…` parameters. */
export interface AuditRecordSelects {
  /** `selectAllDetails`. */
  readonly all_details: string;
}

/** Parameters of `auditlog.get`. */
export interface AuditRecordGet extends GetParams<keyof AuditRecord> {
  readonly selectAllDetails?: boolean | undefined;
}

/** What forms and readers of answers have to know of it. */
export const AUDIT_RECORD = {
  object: "auditlog",
  id: "auditid",
  ids: "auditids",
  fields: {
    auditid: { type: "text", max: 25, readOnly: true },
    userid: { type: "id", readOnly: true },
    username: { type: "text", max: 65535, readOnly: true },
    clock: { type: "time", readOnly: true },
    ip: { type: "text", max: 65535, readOnly: true },
    action: {
      type: "code",
      codes: ["0", "1", "2", "4", "7", "8", "9", "10", "11", "12"],
      readOnly: true,
    },
    resourcetype: { type: "int", min: 0, max: 56, readOnly: true },
    resourceid: { type: "id", readOnly: true },
    resource_cuid: { type: "text", max: 65535, readOnly: true },
    resourcename: { type: "text", max: 65535, readOnly: true },
    recordsetid: { type: "text", max: 25, readOnly: true },
    details: { type: "text", max: 65535, readOnly: true },
  },
  selects: { all_details: { param: "selectAllDetails", text: true } },
} as const;
