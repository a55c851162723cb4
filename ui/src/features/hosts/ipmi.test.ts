import { describe, expect, test } from "vitest";
import { ipmiError, NEW_IPMI, toIpmi } from "./ipmi-draft";

describe("the IPMI login of a host", () => {
  test("a password that is not typed is not sent", () => {
    expect(toIpmi({ ...NEW_IPMI, username: " root " })).toEqual({
      ipmi_authtype: "-1",
      ipmi_privilege: "2",
      ipmi_username: "root",
    });
    expect(toIpmi({ ...NEW_IPMI, password: "p " })).toMatchObject({ ipmi_password: "p " });
  });

  test("values that devices cannot take are reported", () => {
    expect(ipmiError(NEW_IPMI)).toBeUndefined();
    expect(ipmiError({ ...NEW_IPMI, authtype: "6" })).toBeUndefined();
    expect(ipmiError({ ...NEW_IPMI, authtype: "2" })).toBeUndefined();
    expect(ipmiError({ ...NEW_IPMI, authtype: "1" })).toContain("MD2");
    expect(ipmiError({ ...NEW_IPMI, authtype: "2", password: "x".repeat(17) })).toContain("1.5");
    expect(ipmiError({ ...NEW_IPMI, password: "x".repeat(17) })).toBeUndefined();
    expect(ipmiError({ ...NEW_IPMI, username: "x".repeat(17) })).toContain("16");
    expect(ipmiError({ ...NEW_IPMI, password: "x".repeat(21) })).toContain("20");
  });
});
