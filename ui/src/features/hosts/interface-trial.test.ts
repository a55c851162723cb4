import { describe, expect, it } from "vitest";
import { newInterface } from "@/widgets/interfaces/interface-draft";
import { newMacro } from "@/widgets/macro-editor";
import { NO_ENCRYPTION, PLAIN, PSK } from "./encryption-draft";
import { toTrial } from "./interface-trial";

const HOST = { hostid: undefined, macros: [], encryption: NO_ENCRYPTION };

describe("what is asked at an interface that is not saved", () => {
  it("has what is typed: the community, and macros of the form", () => {
    const secret = { ...newMacro("{$KEPT}", ""), hostmacroid: "7", type: "1" };
    const macros = [newMacro("{$SNMP_COMMUNITY}", "hush"), secret];
    const at = { ...newInterface("2", true), ip: "192.0.2.7" };
    const trial = toTrial({ ...HOST, hostid: "4", macros }, at);
    expect(trial).toMatchObject({
      hostid: "4",
      interface: { type: "2", ip: "192.0.2.7", details: { community: "{$SNMP_COMMUNITY}" } },
      macros: [{ macro: "{$SNMP_COMMUNITY}", value: "hush" }],
      encryption: {},
    });
    expect(trial.macros).toHaveLength(1);
  });

  it("of an agent has the encryption of connections to it alone", () => {
    const psk = "0123456789abcdef0123456789abcdef";
    const typed = { ...NO_ENCRYPTION, identity: "me", psk };
    const at = newInterface("1", true);
    expect(toTrial({ ...HOST, encryption: { ...typed, connect: PSK } }, at).encryption).toEqual({
      tls_connect: "2",
      tls_psk_identity: "me",
      tls_psk: psk,
    });
    const plain = { ...typed, connect: PLAIN, accept: PSK };
    expect(toTrial({ ...HOST, encryption: plain }, at).encryption).toEqual({ tls_connect: "1" });
  });
});
