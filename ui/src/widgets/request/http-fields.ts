// What an HTTP agent asks and what of the answer it takes, as data.

import type { ItemDraft } from "@/api/items";
import type { RequestContent } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";
import { checkPairs, cleanPairs, type Pair } from "@/widgets/pair-editor";

export const HEAD = "3";
export const NO_AUTH = "0";
const JSON_BODY = "2";
const XML_BODY = "3";
const HEADERS_ONLY = "1";

export interface HttpFields {
  readonly url: string;
  readonly query: readonly Keyed<Pair>[];
  readonly method: string;
  readonly bodyType: string;
  readonly body: string;
  readonly headers: readonly Keyed<Pair>[];
  readonly statusCodes: string;
  readonly followRedirects: boolean;
  readonly retrieve: string;
  readonly asJson: boolean;
  readonly proxy: string;
  readonly auth: string;
  readonly user: string;
  readonly password: string;
  readonly verifyPeer: boolean;
  readonly verifyHost: boolean;
  readonly certFile: string;
  readonly keyFile: string;
  readonly keyPassword: string;
  /** values may be sent as well */
  readonly allowTraps: boolean;
}

export function httpOf(item: RequestContent | undefined): HttpFields {
  return {
    url: item?.url ?? "",
    query: (item?.query_fields ?? []).map(keyed),
    method: item?.request_method ?? "0",
    bodyType: item?.post_type ?? "0",
    body: item?.posts ?? "",
    headers: (item?.headers ?? []).map(keyed),
    statusCodes: item?.status_codes ?? "200",
    followRedirects: item?.follow_redirects !== "0",
    retrieve: item?.retrieve_mode ?? "0",
    asJson: item?.output_format === "1",
    proxy: item?.http_proxy ?? "",
    auth: item?.authtype ?? NO_AUTH,
    user: item?.username ?? "",
    password: item?.password ?? "",
    verifyPeer: item?.verify_peer === "1",
    verifyHost: item?.verify_host === "1",
    certFile: item?.ssl_cert_file ?? "",
    keyFile: item?.ssl_key_file ?? "",
    keyPassword: item?.ssl_key_password ?? "",
    allowTraps: item?.allow_traps === "1",
  };
}

export interface HttpChecks {
  readonly url: Check;
  readonly query: Check;
  readonly headers: Check;
  readonly body: Check;
  readonly statusCodes: Check;
}

export function checkHttp(http: HttpFields): HttpChecks {
  return {
    url: http.url.trim() === "" ? bad(t("a URL is required"), 0) : OK,
    query: checkPairs(http.query, false),
    headers: checkPairs(http.headers, false),
    body: checkBody(http),
    statusCodes: checkStatusCodes(http.statusCodes),
  };
}

function checkBody({ method, bodyType, body }: HttpFields): Check {
  if (method === HEAD || (bodyType !== JSON_BODY && bodyType !== XML_BODY)) return OK;
  if (body.trim() === "") return bad(t("a body of this type cannot be empty"), 0);
  // what a macro stands for is not known here
  if (bodyType === XML_BODY || /\{[$#{]/.test(body)) return OK;
  try {
    JSON.parse(body);
    return OK;
  } catch {
    return bad(t("this is not JSON"), 0);
  }
}

export function checkStatusCodes(text: string): Check {
  if (text.trim() === "") return OK;
  const part = /^\s*(\d+(\s*-\s*\d+)?|\{[$#{].*)\s*$/;
  const isGood = text.split(",").every((it) => part.test(it));
  return isGood ? OK : bad(t("enter codes or ranges of codes: 200,300-399"), 0);
}

export function draftOfHttp(http: HttpFields): Partial<ItemDraft> {
  const hasBody = http.method !== HEAD;
  const logsIn = http.auth !== NO_AUTH;
  return {
    url: http.url.trim(),
    query_fields: cleanPairs(http.query),
    request_method: http.method,
    post_type: hasBody ? http.bodyType : "0",
    posts: hasBody ? http.body : "",
    headers: cleanPairs(http.headers),
    status_codes: http.statusCodes.trim(),
    follow_redirects: http.followRedirects ? "1" : "0",
    retrieve_mode: hasBody ? http.retrieve : HEADERS_ONLY,
    output_format: http.asJson ? "1" : "0",
    http_proxy: http.proxy.trim(),
    authtype: http.auth,
    username: logsIn ? http.user : "",
    password: logsIn ? http.password : "",
    verify_peer: http.verifyPeer ? "1" : "0",
    verify_host: http.verifyHost ? "1" : "0",
    ssl_cert_file: http.certFile.trim(),
    ssl_key_file: http.keyFile.trim(),
    ssl_key_password: http.keyPassword,
  };
}
