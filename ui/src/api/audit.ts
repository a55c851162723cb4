// Who changed what, as the audit log keeps it.

import * as z from "zod/mini";
import type { Methods } from "./generated/methods";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface AuditRecord {
  readonly auditid: Id;
  readonly userid: Id;
  readonly username: string;
  readonly clock: string;
  readonly ip: string;
  readonly action: string;
  readonly resourcetype: string;
  readonly resourceid: Id;
  readonly resourcename: string;
  /** JSON: for each field its path, what was done, and the values after and before */
  readonly details: string;
}

const text = z.string();
const record = z.object({
  auditid: text,
  userid: text,
  username: text,
  clock: text,
  ip: text,
  action: text,
  resourcetype: text,
  resourceid: text,
  resourcename: text,
  /** with what Zabbix leaves out: parts of hosts, triggers and graphs */
  all_details: text,
});

async function fetchRecords(
  params: Methods["auditlog.get"]["params"],
  signal: AbortSignal | undefined,
): Promise<readonly AuditRecord[]> {
  const whole = { ...params, output: "extend", selectAllDetails: true } as const;
  const records = await call("auditlog.get", whole, schema.listOf(record), signal);
  return records.map(({ all_details: details, ...it }) => ({ ...it, details }));
}

export interface AuditFilter {
  readonly userid: Id | undefined;
  readonly action: string | undefined;
  readonly resourcetype: string | undefined;
  /** part of the name of what was changed */
  readonly name: string;
  /** how far back, in seconds; undefined: as far as the log goes */
  readonly within: number | undefined;
}

const WRITES = ["0", "1", "2"] as const;

/** The newest changes of the configuration since then: additions, updates and deletions. */
export async function fetchChangesSince(
  since: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const params = {
    time_from: since,
    filter: { action: WRITES },
    sortfield: "auditid",
    sortorder: "DESC",
    limit,
  } as const;
  return fetchRecords(params, signal);
}

/** All that was done to one object, the newest first. */
export async function fetchHistoryOf(
  resourcetype: string,
  resourceid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const params = {
    filter: { resourcetype, resourceid },
    sortfield: "auditid",
    sortorder: "DESC",
    limit,
  } as const;
  return fetchRecords(params, signal);
}

/** The newest ones. */
export async function fetchAudit(
  { userid, action, resourcetype, name, within }: AuditFilter,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const filter = {
    ...(action === undefined ? {} : { action }),
    ...(resourcetype === undefined ? {} : { resourcetype }),
  };
  const params = {
    ...(userid === undefined ? {} : { userids: [userid] }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(name === "" ? {} : { search: { resourcename: name } }),
    ...(within === undefined ? {} : { time_from: Math.floor(Date.now() / 1000) - within }),
    sortfield: "auditid",
    sortorder: "DESC",
    limit,
  } as const;
  return fetchRecords(params, signal);
}
