import { describe, expect, it } from "vitest";
import {
  addressOf,
  agentCommands,
  firstError,
  firstFields,
  firstHost,
  fittingTemplate,
  withAddress,
} from "./first-host";

describe("the first host", () => {
  it("is made by its IP address or by its name", () => {
    const fields = firstFields("agent");
    expect(firstError(fields)).toBe("a name is required");
    const named = { ...fields, name: " web-1 ", groupids: ["4"] };
    expect(firstError(named)).toBe("an IP address is required");
    const byIp = { ...named, at: withAddress(fields.at, "192.0.2.7") };
    expect(firstError(byIp)).toBeUndefined();
    expect(firstHost(byIp, ["7"])).toMatchObject({
      host: "web-1",
      templates: [{ templateid: "7" }],
      groups: [{ groupid: "4" }],
      interfaces: [{ type: "1", useip: "1", ip: "192.0.2.7", port: "10050" }],
    });
    const byName = withAddress(fields.at, "web-1.example.org");
    expect(byName).toMatchObject({ useip: false, ip: "", dns: "web-1.example.org" });
    expect(addressOf(byName)).toBe("web-1.example.org");
    expect(withAddress(fields.at, "2001:db8::7").useip).toBe(true);
  });

  it("by SNMP begins with the community that most devices have", () => {
    const { at } = firstFields("snmp");
    expect(at).toMatchObject({
      type: "2",
      port: "161",
      snmp: { version: "2", community: "public" },
    });
  });

  it("gets a template that fits, if there is one", () => {
    const templates = [
      { templateid: "1", name: "Generic ICMP" },
      { templateid: "2", name: "Linux by agent" },
    ];
    expect(fittingTemplate("agent", templates)).toBe("2");
    expect(fittingTemplate("snmp", templates)).toBeUndefined();
  });

  it("has commands with the server's address and its name", () => {
    for (const { lines } of agentCommands("192.0.2.1", "web-1")) {
      expect(lines).toContain("192.0.2.1");
      expect(lines).toContain("web-1");
    }
    expect(agentCommands("192.0.2.1", "")[0]?.lines).toContain("NAME_OF_THE_HOST");
  });
});
