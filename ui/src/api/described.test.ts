import { describe, expect, it } from "vitest";
import {
  answeredFields,
  checkField,
  type Description,
  neededTexts,
  newFields,
  onlyUseful,
  related,
  schemaOf,
  selectParams,
  without,
  withoutUseless,
} from "./described";

const SAMPLE = {
  object: "connector",
  id: "connectorid",
  ids: "connectorids",
  fields: {
    connectorid: { type: "id", readOnly: true },
    name: { type: "text", max: 4, required: true },
    mode: { type: "code", codes: ["0", "1"], default: "0" },
    login: {
      type: "text",
      max: 10,
      only: [{ field: "mode", oneOf: ["1"] }],
      needed: [{ field: "mode", oneOf: ["1"] }],
    },
    requests: { type: "int", min: 1, max: 100, default: "1" },
    interval: { type: "text", max: 32, default: "5s", form: "period", within: [1, 60] },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255 },
        operator: { type: "code", codes: ["0"], required: true },
        place: { type: "id" },
      },
      notAnswered: true,
    },
  },
  selects: {
    tags: { param: "selectTags" },
    hosts: { param: "selectHosts", objects: "host" },
    log: { param: "selectLog", text: true },
  },
} as const satisfies Description;

const HOST = {
  object: "host",
  id: "hostid",
  ids: "hostids",
  fields: {
    hostid: { type: "id", readOnly: true },
    details: { type: "object", fields: { version: { type: "code", codes: ["1"], default: "1" } } },
    posts: { type: "text", orList: { name: { type: "text", required: true } } },
  },
} as const satisfies Description;

describe("a described object", () => {
  it("has a new draft of defaults and empty texts", () => {
    expect(newFields(SAMPLE.fields)).toEqual({
      name: "",
      mode: "0",
      login: "",
      requests: "1",
      interval: "5s",
    });
  });

  it("has the default in fields that do not go with the others", () => {
    const values = { mode: "0", login: "me", requests: "2" };
    expect(withoutUseless(SAMPLE.fields, values)).toEqual({ ...values, login: "" });
    expect(withoutUseless(SAMPLE.fields, { ...values, mode: "1" }).login).toBe("me");
  });

  it("is sent without fields that do not go with the others", () => {
    const values = { mode: "0", login: "me", requests: "2" };
    expect(onlyUseful(SAMPLE.fields, values)).toEqual({ mode: "0", requests: "2" });
    expect(onlyUseful(SAMPLE.fields, { ...values, mode: "1" }).login).toBe("me");
  });

  it("needs texts by the values of the others", () => {
    expect(neededTexts(SAMPLE.fields, { mode: "0" })).toEqual(["name"]);
    expect(neededTexts(SAMPLE.fields, { mode: "1" })).toEqual(["name", "login"]);
  });

  it("is checked by its bounds while it is typed", () => {
    const { name, requests, interval } = SAMPLE.fields;
    for (const [field, text, ok] of [
      [name, "", false],
      [name, "abcd", true],
      [name, "abcde", false],
      [requests, "1", true],
      [requests, "100", true],
      [requests, "0", false],
      [requests, "101", false],
      [requests, "1.5", false],
      [requests, "", false],
      [interval, "1m", true],
      [interval, "61", false],
      [interval, "soon", false],
      [interval, "0", false],
      [interval, "{$INTERVAL}", false],
      [{ ...interval, form: "period-or-0" }, "0", true],
      [{ ...interval, form: "period-or-macro" }, "{$INTERVAL}", true],
    ] as const) {
      expect(checkField(field, text).ok, `${field.type} ${text}`).toBe(ok);
    }
  });

  it("is asked for and read by its fields and selects", () => {
    expect(answeredFields(SAMPLE)).toEqual([
      "connectorid",
      "name",
      "mode",
      "login",
      "requests",
      "interval",
    ]);
    const selects = { tags: ["tag"], hosts: ["hostid", "name"] } as const;
    expect(selectParams(SAMPLE, selects)).toEqual({
      selectTags: ["tag"],
      selectHosts: ["hostid", "name"],
    });
    const schema = schemaOf(SAMPLE, ["connectorid", "name"], selects);
    const answer = {
      connectorid: 7,
      name: "a",
      tags: [{ tag: "b" }],
      hosts: [{ hostid: "1", name: "c" }],
    };
    expect(schema.parse(answer)).toEqual({ ...answer, connectorid: "7" });
    expect(schema.safeParse({ ...answer, name: undefined }).success).toBe(false);
    expect(() => schemaOf(SAMPLE, ["color"], {})).toThrow("connector has no field color");
  });

  it("has related objects by their own description, and long texts on demand", () => {
    const selects = { hosts: related(HOST, ["hostid", "details", "posts"]), log: true } as const;
    expect(selectParams(SAMPLE, selects)).toEqual({
      selectHosts: ["hostid", "details", "posts"],
      selectLog: true,
    });
    const schema = schemaOf(SAMPLE, [], selects);
    const hosts = [
      { hostid: "1", details: [], posts: "a=b" },
      { hostid: "2", details: {}, posts: [{ name: "a" }] },
    ];
    expect(schema.parse({ hosts, log: "{}" })).toEqual({
      hosts: [
        { ...hosts[0], details: undefined },
        { ...hosts[1], details: { version: "1" } },
      ],
      log: "{}",
    });
    expect(schema.safeParse({ hosts, log: {} }).success).toBe(false);
  });

  it("has parts with defaults, and without what goes with other ones", () => {
    const schema = schemaOf(SAMPLE, [], { tags: "extend", hosts: "count" });
    expect(schema.parse({ tags: [{ operator: "0" }], hosts: 3 })).toEqual({
      tags: [{ tag: "", operator: "0" }],
      hosts: "3",
    });
    expect(schema.safeParse({ tags: [{ tag: "a" }], hosts: "3" }).success).toBe(false);
  });

  it("is described without names that pages do not use", () => {
    const { fields } = without(SAMPLE, ["login", "place"]);
    expect(Object.keys(fields)).not.toContain("login");
    expect(Object.keys(fields.tags.fields)).toEqual(["tag", "operator"]);
  });
});
