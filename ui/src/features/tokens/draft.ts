// A token while it is edited. Its end is typed as browsers write a local time: 2026-12-31T23:59.

import type { Token, TokenDraft } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { zoneName } from "@/lib/time";
import { minuteIn, parseIn } from "@/lib/zone";

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

/** As a field for dates and times has it, where times are shown. */
export function localTime(seconds: number): string {
  return minuteIn(seconds, zoneName()).replace(" ", "T");
}

function secondsOf(local: string): number {
  return parseIn(local, zoneName()) ?? Number.NaN;
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
