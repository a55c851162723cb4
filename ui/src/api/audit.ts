// Who changed what, as the audit log keeps it.

import * as z from "zod/mini";
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
const record: z.ZodMiniType<AuditRecord> = z.object({
  auditid: text,
  userid: text,
  username: text,
  clock: text,
  ip: text,
  action: text,
  resourcetype: text,
  resourceid: text,
  resourcename: text,
  details: text,
});

export interface AuditFilter {
  readonly userid: Id | undefined;
  readonly action: string | undefined;
  readonly resourcetype: string | undefined;
  /** part of the name of what was changed */
  readonly name: string;
}

/** The newest ones. */
export async function fetchAudit(
  { userid, action, resourcetype, name }: AuditFilter,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const filter = {
    ...(action === undefined ? {} : { action }),
    ...(resourcetype === undefined ? {} : { resourcetype }),
  };
  const params = {
    output: "extend",
    ...(userid === undefined ? {} : { userids: [userid] }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(name === "" ? {} : { search: { resourcename: name } }),
    sortfield: "auditid",
    sortorder: "DESC",
    limit,
  } as const;
  return call("auditlog.get", params, schema.listOf(record), signal);
}
