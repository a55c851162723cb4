// Media types, a user's own medias, and the messages that were made of them.

import * as z from "zod/mini";
import { checked } from "./checked";
import { MEDIA_TYPE } from "./generated/media-type";
import { USER } from "./generated/user";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export const MEDIA_TYPES = objectsOf(MEDIA_TYPE);

/** Fields by Zabbix's names; what a type does not use has its default. */
export type MediaType = AnswerOf<typeof MEDIA_TYPES>;
/** A parameter: of webhooks it has a name, of scripts a place. */
export type MediaParameter = Pick<MediaType["parameters"][number], "name" | "value">;
export type MediaTypeChange = DraftOf<"mediatype">;

/** Media types as all users see them. */
const NAMES = readerOf(MEDIA_TYPE, { output: ["mediatypeid", "name", "type", "status"] });
export type MediaTypeName = AnswerOf<typeof NAMES>;

export async function fetchMediaTypeNames(signal?: AbortSignal): Promise<readonly MediaTypeName[]> {
  return NAMES.get({ sortfield: "name" }, signal);
}

/** What came of a test message. */
export interface MediaTrial {
  readonly result: string | null;
  readonly error: string | null;
  readonly exchange: readonly { readonly by: string; readonly text: string }[];
}

const text = z.string();

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

const OWNERS = readerOf(USER, {
  output: ["userid"],
  selects: {
    medias: [
      "mediatypeid",
      "sendto",
      "active",
      "severity",
      "period",
      "quiet_period",
      "quiet_severity",
    ],
  },
});
type StoredMedia = AnswerOf<typeof OWNERS>["medias"][number];

/** Where messages reach a user. */
export interface Media extends Omit<StoredMedia, "sendto"> {
  /** one a line */
  readonly sendto: string;
}

export async function fetchMedias(userid: Id, signal?: AbortSignal): Promise<readonly Media[]> {
  const [found] = await OWNERS.get({ userids: [userid] }, signal);
  return (found?.medias ?? []).map((it) => ({ ...it, sendto: it.sendto.join("\n") }));
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
