// A media type while it is edited: what the form holds, what it checks, what is sent.

import { checkField, newFields } from "@/api/described";
import { MEDIA_TYPE } from "@/api/generated/media-type";
import type { MediaParameter, MediaType, MediaTypeChange } from "@/api/media";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

const { fields: FIELDS } = MEDIA_TYPE;

export const { EMAIL, SCRIPT, WEBHOOK } = FIELDS.type.names;

/** What the form holds: a media type without its id, parameters with keys. */
export type MediaTypeFields = Omit<MediaType, "mediatypeid" | "parameters"> & {
  readonly parameters: readonly Keyed<MediaParameter>[];
};

export function typeOptions(): { value: string; label: string }[] {
  return [
    { value: EMAIL, label: t("E-mail") },
    { value: WEBHOOK, label: t("Webhook") },
    { value: SCRIPT, label: t("Script") },
  ];
}

export function typeName(type: string): string {
  return typeOptions().find((it) => it.value === type)?.label ?? t("SMS");
}

export function fieldsOf(mediaType: MediaType | undefined): MediaTypeFields {
  if (mediaType !== undefined) {
    const { mediatypeid: _, parameters, ...same } = mediaType;
    return { ...same, parameters: parameters.map(({ name, value }) => keyed({ name, value })) };
  }
  return { ...newFields(FIELDS), type: EMAIL, message_format: "0", parameters: [] };
}

export function newParameter(): Keyed<MediaParameter> {
  return keyed({ name: "", value: "" });
}

/** Only what the type knows: the server refuses the rest. */
export function changeOf(fields: MediaTypeFields): MediaTypeChange {
  const { type, maxsessions, maxattempts, attempt_interval, status, description } = fields;
  const common = {
    name: fields.name.trim(),
    type,
    status,
    maxsessions,
    maxattempts,
    attempt_interval,
    description,
  };
  if (type === EMAIL) {
    const secure = fields.smtp_security !== "0";
    const { smtp_authentication } = fields;
    return {
      ...common,
      smtp_server: fields.smtp_server.trim(),
      smtp_port: fields.smtp_port,
      smtp_helo: fields.smtp_helo.trim(),
      smtp_email: fields.smtp_email.trim(),
      smtp_security: fields.smtp_security,
      smtp_authentication,
      message_format: fields.message_format,
      ...(secure
        ? { smtp_verify_peer: fields.smtp_verify_peer, smtp_verify_host: fields.smtp_verify_host }
        : {}),
      ...(smtp_authentication === "1" ? { username: fields.username, passwd: fields.passwd } : {}),
    };
  }
  if (type === SCRIPT) {
    const parameters = fields.parameters.map(({ value }, at) => ({ sortorder: at, value }));
    return { ...common, exec_path: fields.exec_path.trim(), parameters };
  }
  if (type === WEBHOOK) {
    const parameters = fields.parameters
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }) => ({ name: name.trim(), value }));
    const { script, timeout, process_tags } = fields;
    return { ...common, script, timeout, process_tags, parameters };
  }
  return common;
}

export function checkGiven(text: string): Check {
  return text.trim() === "" ? bad(t("this is required"), 0) : OK;
}

export const checkPort = (text: string) => checkField(FIELDS.smtp_port, text);
export const checkSessions = (text: string) => checkField(FIELDS.maxsessions, text);
export const checkAttempts = (text: string) => checkField(FIELDS.maxattempts, text);

export function isComplete(fields: MediaTypeFields): boolean {
  const checks = [
    checkGiven(fields.name),
    checkSessions(fields.maxsessions),
    checkAttempts(fields.maxattempts),
  ];
  if (fields.type === EMAIL) {
    checks.push(checkGiven(fields.smtp_server), checkGiven(fields.smtp_email));
    checks.push(checkPort(fields.smtp_port));
  }
  if (fields.type === SCRIPT) checks.push(checkGiven(fields.exec_path));
  if (fields.type === WEBHOOK) checks.push(checkGiven(fields.script));
  return checks.every((it) => it.ok);
}
