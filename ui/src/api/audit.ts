// Who changed what, as the audit log keeps it.

import { AUDIT_RECORD } from "./generated/audit-record";
import { type AnswerOf, readerOf } from "./objects";
import type { Id } from "./types";

const RECORDS = readerOf(AUDIT_RECORD, {
  output: [
    "auditid",
    "userid",
    "username",
    "clock",
    "ip",
    "action",
    "resourcetype",
    "resourceid",
    "resourcename",
  ],
  // with what Zabbix leaves out: parts of hosts, triggers and graphs
  selects: { all_details: true },
  params: { sortfield: "auditid", sortorder: "DESC" },
});

/** Its details are JSON: for each field its path, what was done, and the values after and before. */
export type AuditRecord = AnswerOf<typeof RECORDS>;

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
  return RECORDS.get({ time_from: since, filter: { action: WRITES }, limit }, signal);
}

/** All that was done to one object, the newest first. */
export async function fetchHistoryOf(
  resourcetype: string,
  resourceid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  return RECORDS.get({ filter: { resourcetype, resourceid }, limit }, signal);
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
  };
  return RECORDS.get({ ...params, limit }, signal);
}
