import { describe, expect, it } from "vitest";
import { CERTIFICATE, encryptionError, NO_ENCRYPTION, PSK, toEncryption } from "./encryption-draft";

const KEY = "00112233445566778899aabbccddeeff";

describe("encryption of a host", () => {
  it("sends what is used", () => {
    expect(toEncryption(NO_ENCRYPTION)).toEqual({ tls_connect: "1", tls_accept: "1" });
    const byKey = { ...NO_ENCRYPTION, connect: PSK, accept: 3, identity: " a ", psk: KEY };
    expect(toEncryption(byKey)).toEqual({
      tls_connect: "2",
      tls_accept: "3",
      tls_psk_identity: "a",
      tls_psk: KEY,
    });
    const byCertificate = { ...byKey, connect: CERTIFICATE, accept: 4, subject: "CN=a" };
    expect(toEncryption(byCertificate)).toEqual({
      tls_connect: "4",
      tls_accept: "4",
      tls_issuer: "",
      tls_subject: "CN=a",
    });
  });

  it("keeps a key that was not typed again", () => {
    const kept = { ...NO_ENCRYPTION, connect: PSK, hasKey: true };
    expect(encryptionError(kept)).toBeUndefined();
    expect(toEncryption(kept)).toEqual({ tls_connect: "2", tls_accept: "1" });
    expect(encryptionError({ ...kept, identity: "b" })).toBe("an identity needs its key");
  });

  it("wants a whole key and a way in", () => {
    const fresh = { ...NO_ENCRYPTION, accept: PSK };
    expect(encryptionError(NO_ENCRYPTION)).toBeUndefined();
    expect(encryptionError({ ...NO_ENCRYPTION, accept: 0 })).toContain("at least one");
    expect(encryptionError(fresh)).toBe("an identity is required");
    expect(encryptionError({ ...fresh, identity: "a" })).toBe("a key is required");
    expect(encryptionError({ ...fresh, identity: "a", psk: "00ff" })).toContain("32 digits");
    expect(encryptionError({ ...fresh, identity: "a", psk: `${KEY}0` })).toContain("even number");
    expect(encryptionError({ ...fresh, identity: "a", psk: "no".repeat(16) })).toContain("hexa");
    expect(encryptionError({ ...fresh, identity: "a", psk: KEY })).toBeUndefined();
  });
});
