import { describe, expect, it } from "vitest";
import { draftOfItem, fieldsOfItem, isItemValid } from "./item-fields";
import { interfaceFor } from "./source-fields";

const OWN = { hostid: "10", ruleid: undefined, inherited: false, onTemplate: false };

describe("items", () => {
  const fields = { ...fieldsOfItem(undefined), name: "Load", key: "system.cpu.load", units: "x" };

  it("are valid with name, key and interval", () => {
    expect(isItemValid(fields)).toBe(true);
    expect(isItemValid({ ...fields, name: " " })).toBe(false);
    expect(isItemValid({ ...fields, key: "a b" })).toBe(false);
    expect(isItemValid({ ...fields, delay: "often" })).toBe(false);
  });

  it("want what their type needs and nothing else", () => {
    expect(isItemValid({ ...fields, type: 2, delay: "often" })).toBe(true);
    expect(isItemValid({ ...fields, type: 20 })).toBe(false);
    expect(isItemValid({ ...fields, type: 20, snmpOid: "1.3.6" })).toBe(true);
    expect(isItemValid({ ...fields, type: 18 })).toBe(false);
    expect(isItemValid({ ...fields, type: 15, formula: "last(//a" })).toBe(false);
  });

  it("send the fields of their type", () => {
    const agent = draftOfItem({ ...fields, interfaceid: "3" }, OWN);
    expect(agent).toMatchObject({
      hostid: "10",
      key_: "system.cpu.load",
      interfaceid: "3",
      units: "x",
    });
    expect(agent).not.toHaveProperty("snmp_oid");
    const trapper = draftOfItem({ ...fields, type: 2, valueType: 4 }, OWN);
    expect(trapper).not.toHaveProperty("delay");
    expect(trapper).not.toHaveProperty("units");
    expect(trapper).not.toHaveProperty("trends");
    expect(draftOfItem(fields, { ...OWN, onTemplate: true })).not.toHaveProperty("interfaceid");
  });

  it("log in as their type does", () => {
    const draft = (type: number, access: object) =>
      draftOfItem({ ...fields, type, timeout: "7s", access: { ...fields.access, ...access } }, OWN);
    const valid = (type: number, access: object) =>
      isItemValid({ ...fields, type, access: { ...fields.access, ...access } });
    const login = { user: "root", password: "p", command: "uptime" };
    expect(valid(13, login)).toBe(true);
    expect(valid(13, { ...login, user: "" })).toBe(false);
    expect(valid(13, { ...login, command: " " })).toBe(false);
    expect(valid(13, { ...login, byKey: true })).toBe(false);
    const key = { ...login, byKey: true, publicKey: "a.pub", privateKey: "a" };
    expect(valid(13, key)).toBe(true);
    expect(draft(13, key)).toMatchObject({
      username: "root",
      password: "p",
      params: "uptime",
      authtype: "1",
      publickey: "a.pub",
      privatekey: "a",
      timeout: "7s",
    });
    expect(draft(13, { ...key, byKey: false })).toMatchObject({ authtype: "0", publickey: "" });
    expect(draft(14, login)).not.toHaveProperty("authtype");
    expect(valid(16, { user: "a" })).toBe(false);
    expect(valid(16, { user: "a", password: "b" })).toBe(true);
    expect(draft(16, {})).toHaveProperty("jmx_endpoint");
    expect(draft(16, {})).not.toHaveProperty("timeout");
    expect(valid(12, {})).toBe(false);
    expect(draft(12, { ipmiSensor: " FAN " })).toMatchObject({ ipmi_sensor: "FAN" });
    expect(draft(10, {})).toMatchObject({ timeout: "7s" });
    expect(draft(10, {})).not.toHaveProperty("username");
  });

  it("use an interface of any kind, if there is one, where they need an address only", () => {
    const interfaces = [
      {
        interfaceid: "3",
        type: "2",
        main: "1",
        useip: "1",
        ip: "192.0.2.1",
        dns: "",
        port: "161",
        available: "0",
        error: "",
      },
    ];
    for (const type of [3, 10, 13, 14]) {
      expect(interfaceFor({ type, interfaceid: "0" }, interfaces)).toBe("3");
      expect(interfaceFor({ type, interfaceid: "0" }, [])).toBe("0");
    }
    expect(interfaceFor({ type: 16, interfaceid: "0" }, interfaces)).toBe("0");
  });

  it("name the field of the inventory that numbers and texts fill", () => {
    const filling = { ...fields, inventoryLink: "5" };
    expect(draftOfItem(filling, OWN)).toMatchObject({ inventory_link: "5" });
    expect(draftOfItem({ ...filling, valueType: 2 }, OWN)).not.toHaveProperty("inventory_link");
  });

  it("of a template send only what may differ from it", () => {
    const sent = draftOfItem(fields, {
      hostid: undefined,
      ruleid: undefined,
      inherited: true,
      onTemplate: false,
    });
    expect(Object.keys(sent).sort()).toEqual([
      "delay",
      "description",
      "history",
      "inventory_link",
      "notes",
      "status",
      "tags",
      "trends",
    ]);
  });

  it("as prototypes belong to a rule and say whether rows make items of them", () => {
    const prototype = { ...fields, key: "fs.size[{#FSNAME}]", delay: "{#DELAY}", discover: false };
    expect(isItemValid(prototype)).toBe(true);
    const sent = draftOfItem(prototype, { ...OWN, ruleid: "7" });
    expect(sent).toMatchObject({ ruleid: "7", discover: "1", key_: "fs.size[{#FSNAME}]" });
    expect(sent).not.toHaveProperty("hostid");
    const changed = draftOfItem(prototype, { ...OWN, hostid: undefined, ruleid: "7" });
    expect(changed).not.toHaveProperty("ruleid");
    expect(draftOfItem(fields, OWN)).not.toHaveProperty("discover");
    expect(changed).not.toHaveProperty("inventory_link");
  });

  it("take the default interface of their kind", () => {
    const base = { main: "1", useip: "1", ip: "", dns: "", port: "", available: "0", error: "" };
    const interfaces = [
      { ...base, interfaceid: "1", type: "2" },
      { ...base, interfaceid: "2", type: "1", main: "0" },
      { ...base, interfaceid: "3", type: "1" },
    ];
    expect(interfaceFor({ type: 0, interfaceid: "0" }, interfaces)).toBe("3");
    expect(interfaceFor({ type: 0, interfaceid: "2" }, interfaces)).toBe("2");
    expect(interfaceFor({ type: 20, interfaceid: "0" }, interfaces)).toBe("1");
    expect(interfaceFor({ type: 2, interfaceid: "3" }, interfaces)).toBe("0");
  });
});

describe("HTTP agents", () => {
  const fields = { ...fieldsOfItem(undefined), name: "Page", key: "page", type: 19 };
  const http = { ...fields.http, url: " http://a/ " };
  const of = (change: Partial<typeof http>) => ({ ...fields, http: { ...http, ...change } });

  it("want a URL, and what they ask in order", () => {
    expect(isItemValid(fields)).toBe(false);
    expect(isItemValid(of({}))).toBe(true);
    expect(isItemValid({ ...of({}), timeout: "soon" })).toBe(false);
    expect(isItemValid({ ...of({}), timeout: "{$TIME}" })).toBe(true);
    for (const statusCodes of ["", "200", "200, 300-399", "{$CODES},404"]) {
      expect(isItemValid(of({ statusCodes }))).toBe(true);
    }
    for (const statusCodes of ["x", "200,", "-1"]) {
      expect(isItemValid(of({ statusCodes }))).toBe(false);
    }
    expect(isItemValid(of({ headers: [{ key: 1, name: "", value: "x" }] }))).toBe(false);
  });

  it("check a body of their type as far as macros allow", () => {
    const json = { method: "1", bodyType: "2" };
    expect(isItemValid(of(json))).toBe(false);
    expect(isItemValid(of({ ...json, body: '{"a":' }))).toBe(false);
    expect(isItemValid(of({ ...json, body: '{"a": 1}' }))).toBe(true);
    expect(isItemValid(of({ ...json, body: '{"a": {$B}}' }))).toBe(true);
    expect(isItemValid(of({ method: "1", body: "a=b" }))).toBe(true);
  });

  it("send what counts with what was chosen", () => {
    const pairs = [
      { key: 1, name: "a", value: "1" },
      { key: 2, name: "", value: "" },
    ];
    const asked = of({ query: pairs, method: "1", body: "x", auth: "1", user: "u", password: "p" });
    expect(draftOfItem({ ...asked, timeout: " 5s " }, OWN)).toMatchObject({
      url: "http://a/",
      query_fields: [{ name: "a", value: "1" }],
      request_method: "1",
      posts: "x",
      authtype: "1",
      username: "u",
      password: "p",
      timeout: "5s",
      follow_redirects: "1",
      allow_traps: "0",
      trapper_hosts: "",
    });
    // a request without a body, and one without a login
    const bare = of({ method: "3", body: "x", bodyType: "2", auth: "0", user: "u", password: "p" });
    expect(isItemValid(bare)).toBe(true);
    expect(draftOfItem(bare, OWN)).toMatchObject({
      posts: "",
      post_type: "0",
      retrieve_mode: "1",
      username: "",
      password: "",
    });
    const open = { ...of({ allowTraps: true }), trapperHosts: "127.0.0.1" };
    expect(draftOfItem(open, OWN)).toMatchObject({ allow_traps: "1", trapper_hosts: "127.0.0.1" });
    expect(draftOfItem({ ...fields, type: 2 }, OWN)).not.toHaveProperty("url");
  });
});

describe.each([21, 22])("items of scripts, type %i", (type) => {
  const fields = { ...fieldsOfItem(undefined), name: "Made", key: "made", type };

  it("want a script, and each parameter once", () => {
    expect(isItemValid(fields)).toBe(false);
    const made = { ...fields, script: "return 1" };
    expect(isItemValid(made)).toBe(true);
    const twice = [
      { key: 1, name: "a", value: "1" },
      { key: 2, name: "a", value: "2" },
    ];
    expect(isItemValid({ ...made, parameters: twice })).toBe(false);
    expect(draftOfItem({ ...made, parameters: twice.slice(1) }, OWN)).toMatchObject({
      params: "return 1",
      parameters: [{ name: "a", value: "2" }],
      timeout: "",
    });
  });
});
