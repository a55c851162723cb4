// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** A key for programs that call the API. */
export interface Token {
  /** Id. */
  readonly tokenid: string;
  /** Name. */
  readonly name: string;
  /** Description. */
  readonly description: string;
  /** Its user; 0: the caller. Not changed later. */
  readonly userid: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** When it expires; 0: never. Default: 0. */
  readonly expires_at: string;
  /** Not kept yet: 0. */
  readonly lastaccess: string;
  /** When it was made. */
  readonly created_at: string;
  /** Who made it. */
  readonly creator_userid: string;
}

/** Parameters of `token.get`. */
export type TokenGet = GetParams<keyof Token>;

/** Parameters of `token.create`. */
export interface TokenCreate {
  /** Name. */
  readonly name: string;
  /** Description. */
  readonly description?: string | undefined;
  /** Its user; 0: the caller. Not changed later. */
  readonly userid?: string | number | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** When it expires; 0: never. Default: 0. */
  readonly expires_at?: string | number | undefined;
}

/** Parameters of `token.update`: omitted fields keep their values. */
export type TokenUpdate = Partial<Omit<TokenCreate, "userid">> & { readonly tokenid: string };

/** What forms and readers of answers have to know of it. */
export const TOKEN = {
  object: "token",
  id: "tokenid",
  ids: "tokenids",
  fields: {
    tokenid: { type: "id", readOnly: true },
    name: { type: "text", max: 64, required: true },
    description: { type: "text", max: 65535 },
    userid: { type: "id", fixed: true, default: "0" },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    expires_at: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
    lastaccess: { type: "time", readOnly: true },
    created_at: { type: "time", readOnly: true },
    creator_userid: { type: "id", readOnly: true },
  },
} as const;
