// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Output } from "./get";

/** How active agents that register themselves may connect. There is one, of which get answers the fields themselves, without the key and its identity. */
export interface Autoregistration {
  /** Sum of what is accepted: 1 unencrypted, 2 pre-shared key. Default: 1. */
  readonly tls_accept: string;
}

/** Parameters of `autoregistration.get`. */
export interface AutoregistrationGet {
  readonly output?: Output<keyof Autoregistration> | undefined;
}

/** Parameters of `autoregistration.update`: omitted fields keep their values. */
export interface AutoregistrationUpdate {
  /** Sum of what is accepted: 1 unencrypted, 2 pre-shared key. Default: 1. */
  readonly tls_accept?: string | number | undefined;
  /** Identity of the pre-shared key; needed if it is accepted. */
  readonly tls_psk_identity?: string | undefined;
  /** The key: at least 32 hexadecimal digits. */
  readonly tls_psk?: string | undefined;
}

/** What forms and readers of answers have to know of it. */
export const AUTOREGISTRATION = {
  object: "autoregistration",
  fields: {
    tls_accept: { type: "int", min: 1, max: 3, default: "1" },
    tls_psk_identity: {
      type: "text",
      max: 128,
      notAnswered: true,
      only: [{ field: "tls_accept", oneOf: ["2", "3"] }],
    },
    tls_psk: {
      type: "text",
      max: 512,
      notAnswered: true,
      only: [{ field: "tls_accept", oneOf: ["2", "3"] }],
    },
  },
} as const;
