// A token while it is edited. Its end is typed as browsers write a local time: 2026-12-31T23:59.

import type { createToken, Token } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

export type TokenDraft = Parameters<typeof createToken>[0];

export interface TokenFields {
  readonly name: string;
  readonly description: string;
  readonly userid: string;
  readonly enabled: boolean;
  readonly expires: boolean;
  readonly until: string;
}

export function fieldsOf(token: Token | undefined, self: string): TokenFields {
  const ends = Number(token?.expires_at ?? 0);
  return {
    name: token?.name ?? "",
    description: token?.description ?? "",
    userid: token?.userid ?? self,
    enabled: token?.status !== "1",
    expires: ends > 0,
    until: ends > 0 ? localTime(ends) : "",
  };
}

export function localTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  const two = (it: number) => String(it).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function secondsOf(local: string): number {
  return Math.floor(new Date(local).getTime() / 1000);
}

export function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export function checkUntil({ expires, until }: TokenFields): Check {
  return expires && Number.isNaN(secondsOf(until)) ? bad(t("a time is required"), 0) : OK;
}

export function draftOf(fields: TokenFields): TokenDraft {
  return {
    name: fields.name.trim(),
    description: fields.description,
    userid: fields.userid,
    status: fields.enabled ? "0" : "1",
    expires_at: fields.expires ? String(secondsOf(fields.until)) : "0",
  };
}
