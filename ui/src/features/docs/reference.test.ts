import { describe, expect, it } from "vitest";
import type { Reference, ReferenceMethod } from "@/api/reference";
import { fieldRows, objectsOf, propertiesOf, searchMethods, typeText } from "./reference";

const TAG = {
  type: "object",
  required: ["tag"],
  properties: { tag: { type: "string", description: "Name." }, value: { type: "string" } },
};

function method(name: string, summary: string): ReferenceMethod {
  return { name, summary, params: [], result: { schema: {} }, "x-role": "user" };
}

const REFERENCE: Reference = {
  info: { version: "7.0" },
  methods: [
    method("host.create", "Creates hosts"),
    method("host.get", "Finds hosts"),
    method("item.get", "Finds items of a host"),
  ],
  components: { schemas: { Tag: TAG, Host: { type: "object", properties: {} } }, tags: {} },
};

describe("the reference", () => {
  it("has methods by object, and finds names before sentences", () => {
    expect([...objectsOf(REFERENCE)].map(([name, all]) => [name, all.length])).toEqual([
      ["host", 2],
      ["item", 1],
    ]);
    const names = (query: string) => searchMethods(REFERENCE, query).map((it) => it.name);
    expect(names("host")).toEqual(["host.create", "host.get", "item.get"]);
    expect(names("item")).toEqual(["item.get"]);
    expect(names("nothing")).toEqual([]);
  });

  it("says types in words", () => {
    expect(typeText({ $ref: "#/components/schemas/IdInput" })).toBe("id");
    expect(typeText({ enum: [0, 1, "0", "1"] })).toBe("0, 1");
    expect(typeText({ type: ["integer", "string"], minimum: 1, maximum: 5 })).toBe(
      "whole number, 1–5",
    );
    const tags = { type: "array", items: { $ref: "#/components/schemas/TagInput" } };
    expect(typeText(tags)).toBe("list of Tag");
    expect(typeText({ anyOf: [tags, { type: "array", maxItems: 0 }] })).toBe("list of Tag");
  });

  it("has a row for each field, parts below, and other objects by name", () => {
    const object = {
      required: ["host"],
      properties: {
        host: { type: "string", description: "Name.", default: "a" },
        tags: { type: "array", items: { $ref: "#/components/schemas/Tag" } },
        hosts: { type: "array", items: { $ref: "#/components/schemas/Host" } },
      },
    };
    const rows = fieldRows(propertiesOf(object), REFERENCE.components.schemas, new Set(["Host"]));
    expect(rows.map((it) => it.name)).toEqual(["host", "tags", "tags.tag", "tags.value", "hosts"]);
    expect(rows[0]).toEqual({
      name: "host",
      type: "text",
      isRequired: true,
      text: "Name. Default: a.",
    });
  });
});
