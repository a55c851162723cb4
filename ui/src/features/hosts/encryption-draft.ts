// Encryption of a host while it is edited, and the fields that save it. The key and its identity are never
// returned: an empty field keeps them.

import type { HostCreate } from "@/api/generated/host";
import type { Host } from "@/api/types";
import { t } from "@/lib/i18n";

export const PLAIN = 1;
export const PSK = 2;
export const CERTIFICATE = 4;

export interface EncryptionDraft {
  /** one of the codes */
  readonly connect: number;
  /** codes added up */
  readonly accept: number;
  readonly issuer: string;
  readonly subject: string;
  readonly identity: string;
  readonly psk: string;
  /** the server has a key of this host */
  readonly hasKey: boolean;
}

export const NO_ENCRYPTION: EncryptionDraft = {
  connect: PLAIN,
  accept: PLAIN,
  issuer: "",
  subject: "",
  identity: "",
  psk: "",
  hasKey: false,
};

export function draftOfEncryption(host: Host): EncryptionDraft {
  const connect = Number(host.tls_connect);
  const accept = Number(host.tls_accept);
  return {
    ...NO_ENCRYPTION,
    connect,
    accept,
    issuer: host.tls_issuer,
    subject: host.tls_subject,
    hasKey: ((connect | accept) & PSK) !== 0,
  };
}

export function uses(draft: EncryptionDraft, code: number): boolean {
  return ((draft.connect | draft.accept) & code) !== 0;
}

type Fields = Pick<
  HostCreate,
  "tls_connect" | "tls_accept" | "tls_issuer" | "tls_subject" | "tls_psk_identity" | "tls_psk"
>;

export function toEncryption(draft: EncryptionDraft): Fields {
  const identity = draft.identity.trim();
  const psk = draft.psk.trim();
  return {
    tls_connect: String(draft.connect),
    tls_accept: String(draft.accept),
    ...(uses(draft, CERTIFICATE)
      ? { tls_issuer: draft.issuer.trim(), tls_subject: draft.subject.trim() }
      : {}),
    ...(uses(draft, PSK) && identity !== "" ? { tls_psk_identity: identity } : {}),
    ...(uses(draft, PSK) && psk !== "" ? { tls_psk: psk } : {}),
  };
}

/** What is wrong. */
export function encryptionError(draft: EncryptionDraft): string | undefined {
  if (draft.accept === 0) return t("select at least one accepted connection type");
  if (!uses(draft, PSK)) return undefined;
  const [identity, psk] = [draft.identity.trim(), draft.psk.trim()];
  if (!draft.hasKey && identity === "") return t("an identity is required");
  if (!draft.hasKey && psk === "") return t("a key is required");
  if (identity !== "" && psk === "") return t("an identity needs its key");
  if (psk === "") return undefined;
  if (psk.length < 32) return t("a key has at least 32 digits");
  return /^([0-9a-f]{2})+$/i.test(psk)
    ? undefined
    : t("a key has hexadecimal digits, an even number of them");
}
