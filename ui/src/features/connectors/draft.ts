// A connector while it is edited: what the form holds, what it checks, what is sent.

import type { Connector, ConnectorTag } from "@/api/connectors";
import { checkField, newFields, withoutUseless } from "@/api/described";
import { CONNECTOR } from "@/api/generated/connector";
import { bad, type Check, checkName, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export type TagRule = Keyed<ConnectorTag>;

export interface ConnectorFields
  extends Omit<Connector, "connectorid" | "tags" | "status" | "verify_host" | "verify_peer"> {
  readonly enabled: boolean;
  readonly verifyPeer: boolean;
  readonly verifyHost: boolean;
  readonly tags: readonly TagRule[];
}

const { fields: FIELDS } = CONNECTOR;

export const { EVENTS } = FIELDS.data_type.names;
export const { NONE: NO_AUTH, KERBEROS, BEARER } = FIELDS.authtype.names;
const { names: OPERATOR } = FIELDS.tags.fields.operator;

/** Types of values and their bits. */
export const VALUE_TYPES = [
  { bit: 8, name: t("Numeric (unsigned)") },
  { bit: 1, name: t("Numeric (float)") },
  { bit: 2, name: t("Character") },
  { bit: 4, name: t("Log") },
  { bit: 16, name: t("Text") },
  { bit: 32, name: t("Binary") },
] as const;

const OPERATORS = [
  [OPERATOR.EXISTS, t("Exists")],
  [OPERATOR.EQUALS, t("Equals")],
  [OPERATOR.CONTAINS, t("Contains")],
  [OPERATOR.NOT_EXISTS, t("Does not exist")],
  [OPERATOR.NOT_EQUALS, t("Does not equal")],
  [OPERATOR.NOT_CONTAINS, t("Does not contain")],
] as const;

export function operatorOptions(): { value: string; label: string }[] {
  return OPERATORS.map(([value, name]) => ({ value, label: name }));
}

export function takesValue(operator: string): boolean {
  return operator !== OPERATOR.EXISTS && operator !== OPERATOR.NOT_EXISTS;
}

/** Kerberos goes by the server's own credentials. */
export function takesUser(authtype: string): boolean {
  return !([NO_AUTH, KERBEROS, BEARER] as readonly string[]).includes(authtype);
}

export function newRule(): TagRule {
  return keyed({ tag: "", operator: OPERATOR.EQUALS, value: "" });
}

export function fieldsOf(connector: Connector | undefined): ConnectorFields {
  const tagless: Connector = { connectorid: "", ...newFields(FIELDS), tags: [] };
  const { connectorid: _, status, verify_peer, verify_host, tags, ...same } = connector ?? tagless;
  return {
    ...same,
    enabled: status === "1",
    verifyPeer: verify_peer === "1",
    verifyHost: verify_host === "1",
    tags: tags.map(keyed),
  };
}

/** Lines without a tag are dropped. */
export function draftOf(fields: ConnectorFields): Omit<Connector, "connectorid"> {
  const { enabled, verifyPeer, verifyHost, tags, ...given } = fields;
  const same = withoutUseless(FIELDS, given);
  return {
    ...same,
    name: same.name.trim(),
    url: same.url.trim(),
    ssl_cert_file: same.ssl_cert_file.trim(),
    ssl_key_file: same.ssl_key_file.trim(),
    status: enabled ? "1" : "0",
    verify_peer: verifyPeer ? "1" : "0",
    verify_host: verifyHost ? "1" : "0",
    tags: tags
      .filter(({ tag }) => tag.trim() !== "")
      .map(({ tag, operator, value }) => ({
        tag: tag.trim(),
        operator,
        value: takesValue(operator) ? value : "",
      })),
  };
}

export function checkUrl(url: string): Check {
  const text = url.trim();
  if (text === "") return bad(t("a URL is required"), 0);
  if (text.startsWith("{$") || /^https?:\/\/./i.test(text)) return OK;
  return bad(t("it must begin with http:// or https://"), 0);
}

export const checkRecords = (text: string) => checkField(FIELDS.max_records, text);
export const checkSenders = (text: string) => checkField(FIELDS.max_senders, text);
export const checkAttempts = (text: string) => checkField(FIELDS.max_attempts, text);
export function checkInterval(text: string): Check {
  return checkSeconds(text, 0, 10);
}

export function checkTimeout(text: string): Check {
  return text.startsWith("{$") ? OK : checkSeconds(text, 1, 60);
}

function checkSeconds(text: string, min: number, max: number): Check {
  const found = /^(\d+)([sm]?)$/.exec(text.trim());
  const seconds = Number(found?.[1]) * (found?.[2] === "m" ? 60 : 1);
  if (found !== null && min <= seconds && seconds <= max) return OK;
  return bad(t("a time from {min}s to {max}s", { min, max }), 0);
}

export function checkToken(token: string): Check {
  return token === "" ? bad(t("a token is required"), 0) : OK;
}

export function isComplete(fields: ConnectorFields): boolean {
  const checks = [
    checkName(fields.name),
    checkUrl(fields.url),
    checkRecords(fields.max_records),
    checkSenders(fields.max_senders),
    checkAttempts(fields.max_attempts),
    checkTimeout(fields.timeout),
  ];
  if (fields.max_attempts !== "1") checks.push(checkInterval(fields.attempt_interval));
  if (fields.authtype === BEARER) checks.push(checkToken(fields.token));
  const hasType = fields.data_type === EVENTS || fields.item_value_type !== "0";
  return hasType && checks.every((it) => it.ok);
}
