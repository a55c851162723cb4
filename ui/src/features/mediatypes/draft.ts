// A media type while it is edited: what the form holds, what it checks, what is sent.

import type { MediaParameter, MediaType, MediaTypeChange } from "@/api/media";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export const EMAIL = "0";
export const SCRIPT = "1";
export const WEBHOOK = "4";

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
  return {
    name: "",
    type: EMAIL,
    status: "0",
    maxsessions: "1",
    maxattempts: "3",
    attempt_interval: "10s",
    smtp_server: "",
    smtp_port: "25",
    smtp_helo: "",
    smtp_email: "",
    smtp_security: "0",
    smtp_verify_peer: "0",
    smtp_verify_host: "0",
    smtp_authentication: "0",
    username: "",
    passwd: "",
    message_format: "0",
    exec_path: "",
    script: "",
    timeout: "30s",
    process_tags: "0",
    description: "",
    parameters: [],
  };
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

function checkWhole(text: string, min: number, max: number): Check {
  const number = Number(text);
  const isWhole = /^\d+$/.test(text.trim());
  if (isWhole && min <= number && number <= max) return OK;
  return bad(t("a whole number from {min} to {max}", { min, max }), 0);
}

export function checkPort(text: string): Check {
  return checkWhole(text, 0, 65_535);
}

export function checkSessions(text: string): Check {
  return checkWhole(text, 0, 100);
}

export function checkAttempts(text: string): Check {
  return checkWhole(text, 1, 100);
}

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
