// What is asked to see whether something answers at an interface as it is typed: with macros and the encryption of the
// host's form, saved or not.

import type { InterfaceToTry } from "@/api/testing";
import type { Id } from "@/api/types";
import { type InterfaceDraft, toInterface } from "@/widgets/interfaces/interface-draft";
import { cleanMacros, type MacroDraft } from "@/widgets/macro-editor";
import { type EncryptionDraft, PLAIN, toEncryption } from "./encryption-draft";

const AGENT = "1";
const TEXT = "0";
const SECRET = "1";

export interface TrialSubject {
  readonly hostid: Id | undefined;
  readonly macros: readonly MacroDraft[];
  readonly encryption: EncryptionDraft;
}

export function toTrial(
  { hostid, macros, encryption }: TrialSubject,
  draft: InterfaceDraft,
): InterfaceToTry {
  return {
    hostid,
    interface: toInterface(draft),
    // secrets that were not typed again are taken from the server, those of vaults too
    macros: cleanMacros(macros).flatMap(({ macro, type, value }) =>
      value !== undefined && (type === TEXT || type === SECRET) ? [{ macro, value }] : [],
    ),
    encryption: draft.type === AGENT ? outgoing(encryption) : {},
  };
}

/** How the host is connected to; how it may connect does not matter. */
function outgoing(encryption: EncryptionDraft): object {
  const { tls_accept: _, ...fields } = toEncryption({ ...encryption, accept: PLAIN });
  return fields;
}
