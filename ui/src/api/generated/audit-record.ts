// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** Who did what: changes by users, logins and logouts of the last 31 days. */
export interface AuditRecord {
  /** Id; later ones are greater. */
  readonly auditid: string;
  /** Who; 0: nobody known. */
  readonly userid: string;
  /** Who: user name, as typed at a login. */
  readonly username: string;
  /** When. */
  readonly clock: string;
  /** Of logins and logouts: from where. */
  readonly ip: string;
  /** 0 add, 1 update, 2 delete, 4 logout, 8 login, 9 failed login. */
  readonly action: string;
  /** As in Zabbix: 0 user, 4 host, 11 user group, 13 trigger, 14 host group, 15 item, 17 value map, 28 regular expression, 29 macro, 30 template, 31 trigger prototype, 36 item prototype, 44 role, 45 token, 50 template group, 52 discovery rule and so on. */
  readonly resourcetype: string;
  /** Of what. */
  readonly resourceid: string;
  /** Name of it. */
  readonly resourcename: string;
  /** The same as auditid. */
  readonly recordsetid: string;
  /** JSON: for each field that was given its path, what was done (add, update, delete), the value, and of updates the value before, as far as it is known. */
  readonly details: string;
}

/** Parameters of `auditlog.get`. */
export type AuditRecordGet = GetParams<keyof AuditRecord>;
