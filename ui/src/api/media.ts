// Media types, a user's own medias, and the messages that were made of them.

import * as z from "zod/mini";
import { checked } from "./checked";
import type { MediaTypeCreate } from "./generated/media-type";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** A parameter: of webhooks it has a name, of scripts a place. */
export interface MediaParameter {
  readonly name: string;
  readonly value: string;
}

/** Fields by Zabbix's names; what a type does not use has its default. */
export interface MediaType {
  readonly mediatypeid: Id;
  readonly name: string;
  /** 0 e-mail, 1 script, 2 SMS, 4 webhook */
  readonly type: string;
  /** "0": enabled */
  readonly status: string;
  readonly maxsessions: string;
  readonly maxattempts: string;
  readonly attempt_interval: string;
  readonly smtp_server: string;
  readonly smtp_port: string;
  readonly smtp_helo: string;
  readonly smtp_email: string;
  readonly smtp_security: string;
  readonly smtp_verify_peer: string;
  readonly smtp_verify_host: string;
  readonly smtp_authentication: string;
  readonly username: string;
  readonly passwd: string;
  readonly message_format: string;
  readonly exec_path: string;
  readonly script: string;
  readonly timeout: string;
  readonly process_tags: string;
  readonly description: string;
  readonly parameters: readonly MediaParameter[];
}

export type MediaTypeChange = MediaTypeCreate;

const text = z.string();
/** Parameters of scripts have no name. */
const parameter: z.ZodMiniType<MediaParameter> = z.object({
  name: z.pipe(
    z.optional(text),
    z.transform((name) => name ?? ""),
  ),
  value: text,
});

const mediaType: z.ZodMiniType<MediaType> = z.object({
  mediatypeid: text,
  name: text,
  type: text,
  status: text,
  maxsessions: text,
  maxattempts: text,
  attempt_interval: text,
  smtp_server: text,
  smtp_port: text,
  smtp_helo: text,
  smtp_email: text,
  smtp_security: text,
  smtp_verify_peer: text,
  smtp_verify_host: text,
  smtp_authentication: text,
  username: text,
  passwd: text,
  message_format: text,
  exec_path: text,
  script: text,
  timeout: text,
  process_tags: text,
  description: text,
  parameters: z.array(parameter),
});

export async function fetchMediaTypes(signal?: AbortSignal): Promise<readonly MediaType[]> {
  const params = { output: "extend", sortfield: "name" } as const;
  return call("mediatype.get", params, schema.listOf(mediaType), signal);
}

export async function fetchMediaType(id: Id, signal?: AbortSignal): Promise<MediaType | undefined> {
  const params = { mediatypeids: [id], output: "extend" } as const;
  return (await call("mediatype.get", params, schema.listOf(mediaType), signal))[0];
}

export async function createMediaType(change: MediaTypeChange): Promise<Id> {
  const ids = await call("mediatype.create", change, schema.createdIds("mediatypeids"));
  return ids[0] ?? "";
}

export async function updateMediaType(
  mediatypeid: Id,
  change: Partial<MediaTypeChange>,
): Promise<void> {
  await call("mediatype.update", { mediatypeid, ...change }, schema.changed);
}

export async function deleteMediaTypes(ids: readonly Id[]): Promise<void> {
  await call("mediatype.delete", ids, schema.changed);
}

/** What came of a test message. */
export interface MediaTrial {
  readonly result: string | null;
  readonly error: string | null;
  readonly exchange: readonly { readonly by: string; readonly text: string }[];
}

const trial: z.ZodMiniType<MediaTrial> = z.object({
  result: z.nullable(text),
  error: z.nullable(text),
  exchange: z.array(z.object({ by: text, text })),
});

export async function tryMediaType(
  mediatypeid: Id,
  message: { readonly sendto: string; readonly subject: string; readonly message: string },
): Promise<MediaTrial> {
  const body = { mediatypeid, ...message };
  const answer = await http("/api/v1/test/mediatype", { method: "POST", body });
  return checked("test of a media type", answer, trial);
}

/** A media type as all users see it. */
export interface MediaTypeName {
  readonly mediatypeid: Id;
  readonly name: string;
  readonly type: string;
  readonly status: string;
}

const mediaTypeName: z.ZodMiniType<MediaTypeName> = z.object({
  mediatypeid: text,
  name: text,
  type: text,
  status: text,
});

export async function fetchMediaTypeNames(signal?: AbortSignal): Promise<readonly MediaTypeName[]> {
  const params = { output: ["name", "type", "status"], sortfield: "name" } as const;
  return call("mediatype.get", params, schema.listOf(mediaTypeName), signal);
}

/** Where messages reach a user. */
export interface Media {
  readonly mediatypeid: Id;
  /** one a line */
  readonly sendto: string;
  /** "0": messages are sent there */
  readonly active: string;
  /** a bit for each severity */
  readonly severity: string;
  readonly period: string;
  /** times of the week at which messages below a severity wait; empty: never */
  readonly quiet_period: string;
  /** from this one on they do not wait */
  readonly quiet_severity: string;
}

const owner = z.object({
  medias: z.array(
    z.object({
      mediatypeid: text,
      sendto: z.union([text, z.array(text)]),
      active: text,
      severity: text,
      period: text,
      quiet_period: text,
      quiet_severity: text,
    }),
  ),
});

export async function fetchMedias(userid: Id, signal?: AbortSignal): Promise<readonly Media[]> {
  const params = { userids: [userid], output: ["userid"], selectMedias: "extend" } as const;
  const found = await call("user.get", params, schema.listOf(owner), signal);
  const lines = (sendto: string | readonly string[]) =>
    typeof sendto === "string" ? sendto : sendto.join("\n");
  return (found[0]?.medias ?? []).map((it) => ({ ...it, sendto: lines(it.sendto) }));
}

export async function saveMedias(userid: Id, medias: readonly Media[]): Promise<void> {
  const addresses = (sendto: string) =>
    sendto
      .split("\n")
      .map((it) => it.trim())
      .filter((it) => it !== "");
  const written = medias.map((it) => ({ ...it, sendto: addresses(it.sendto) }));
  await call("user.update", { userid, medias: written }, schema.changed);
}

/** A message or a command of an action. */
export interface Alert {
  readonly alertid: Id;
  readonly eventid: Id;
  readonly clock: string;
  readonly sendto: string;
  readonly subject: string;
  readonly message: string;
  /** 0 not sent, 1 sent, 2 given up, 3 new */
  readonly status: string;
  readonly retries: string;
  readonly error: string;
  /** 1: a command */
  readonly alerttype: string;
  /** the digest that contains it; its own id: it is a digest; 0: neither */
  readonly digestid: Id;
  /** 0: it does not wait */
  readonly held_until: string;
  readonly mediatypes: readonly { readonly name: string }[];
  readonly users: readonly { readonly username: string }[];
}

const alert: z.ZodMiniType<Alert> = z.object({
  alertid: text,
  eventid: text,
  clock: text,
  sendto: text,
  subject: text,
  message: text,
  status: text,
  retries: text,
  error: text,
  alerttype: text,
  digestid: text,
  held_until: text,
  mediatypes: z.array(z.object({ name: text })),
  users: z.array(z.object({ username: text })),
});

/** Results of messages by recipient: enough to show who is notified. */
export interface AlertOutcome {
  readonly alertid: Id;
  readonly clock: string;
  readonly sendto: string;
  readonly status: string;
  readonly alerttype: string;
  readonly held_until: string;
  readonly users: readonly { readonly username: string }[];
}

const alertOutcome: z.ZodMiniType<AlertOutcome> = z.object({
  alertid: text,
  clock: text,
  sendto: text,
  status: text,
  alerttype: text,
  held_until: text,
  users: z.array(z.object({ username: text })),
});

/** The newest ones since then. */
export async function fetchAlertsSince(
  since: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AlertOutcome[]> {
  const params = {
    time_from: since,
    output: ["alertid", "clock", "sendto", "status", "alerttype", "held_until"],
    selectUsers: ["username"],
    sortfield: "alertid",
    sortorder: "DESC",
    limit,
  } as const;
  return call("alert.get", params, schema.listOf(alertOutcome), signal);
}

/** The newest ones; for a digest its messages and itself. */
export async function fetchAlerts(
  limit: number,
  digestid: Id | undefined,
  signal?: AbortSignal,
): Promise<readonly Alert[]> {
  const params = {
    ...(digestid === undefined ? {} : { digestids: [digestid] }),
    output: "extend",
    selectMediatypes: ["name"],
    selectUsers: ["username"],
    sortfield: "alertid",
    sortorder: "DESC",
    limit,
  } as const;
  return call("alert.get", params, schema.listOf(alert), signal);
}
