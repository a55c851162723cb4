// What items and discovery rules are made of that only some types have, as data: what is asked by HTTP, a script,
// a login with a command.

import type { ItemDraft } from "@/api/items";
import type { RequestContent } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkPeriod } from "@/lib/interval";
import { HTTP_AGENT, isScripted } from "@/lib/item-types";
import { type Keyed, keyed } from "@/widgets/keyed";
import { checkPairs, cleanPairs, type Pair } from "@/widgets/pair-editor";
import {
  type AccessChecks,
  type AccessFields,
  accessOf,
  checkAccess,
  draftOfAccess,
  hasTimeout,
} from "./access-fields";
import { checkHttp, draftOfHttp, type HttpChecks, type HttpFields, httpOf } from "./http-fields";

export interface RequestFields {
  readonly type: number;
  readonly script: string;
  readonly parameters: readonly Keyed<Pair>[];
  readonly http: HttpFields;
  readonly access: AccessFields;
  /** of the item: what some types are asked for */
  readonly key: string;
  /** of checks that may have one of their own; empty: the server's */
  readonly timeout: string;
  readonly trapperHosts: string;
}

export function requestFieldsOf(
  of: RequestContent | undefined,
): Omit<RequestFields, "type" | "key"> {
  return {
    // what `params` is, a formula or a script, follows the type
    script: isScripted(Number(of?.type)) ? (of?.params ?? "") : "",
    parameters: (of?.parameters ?? []).map(keyed),
    http: httpOf(of),
    access: accessOf(of),
    timeout: of?.timeout ?? "",
    trapperHosts: of?.trapper_hosts ?? "",
  };
}

export interface RequestChecks {
  readonly script: Check;
  readonly parameters: Check;
  readonly http: HttpChecks;
  readonly access: AccessChecks;
  readonly timeout: Check;
}

export function checkRequest(fields: RequestFields): RequestChecks {
  return {
    script: fields.script.trim() === "" ? bad(t("a script is required"), 0) : OK,
    parameters: checkPairs(fields.parameters, true),
    http: checkHttp(fields.http),
    access: checkAccess(fields.type, fields.access, fields.key),
    timeout: fields.timeout.trim() === "" ? OK : checkPeriod(fields.timeout),
  };
}

/** Whether what the type is made of is right; all is where it is made of none of this. */
export function isRequestValid(fields: RequestFields): boolean {
  const { script, parameters, http, access, timeout } = checkRequest(fields);
  if (isScripted(fields.type)) return script.ok && parameters.ok && timeout.ok;
  if (fields.type === HTTP_AGENT) return timeout.ok && Object.values(http).every((it) => it.ok);
  const isInTime = !hasTimeout(fields.type) || timeout.ok;
  return isInTime && Object.values(access).every((it) => it.ok);
}

/** What only items of the type are made of. */
export function requestOf(fields: RequestFields): Partial<ItemDraft> {
  const timeout = fields.timeout.trim();
  if (fields.type === HTTP_AGENT) return { ...draftOfHttp(fields.http), timeout };
  if (!isScripted(fields.type)) {
    const access = draftOfAccess(fields.type, fields.access);
    return hasTimeout(fields.type) ? { ...access, timeout } : access;
  }
  return { params: fields.script, parameters: cleanPairs(fields.parameters), timeout };
}

/** Who may send values to an HTTP agent besides what it asks for. */
export function sendersOf({ type, http, trapperHosts }: RequestFields): Partial<ItemDraft> {
  if (type !== HTTP_AGENT) return {};
  return http.allowTraps
    ? { allow_traps: "1", trapper_hosts: trapperHosts.trim() }
    : { allow_traps: "0", trapper_hosts: "" };
}
