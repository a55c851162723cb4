// Media types, and a user's own medias.

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
const trial = z.object({
  result: z.nullable(z.string()),
  error: z.nullable(z.string()),
  exchange: z.array(z.object({ by: z.string(), text: z.string() })),
});
export type MediaTrial = schema.Read<typeof trial>;

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
