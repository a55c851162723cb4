import { expect, test } from "vitest";
import type { HostPrototype } from "@/api/types";
import {
  checkGroupPattern,
  checkHostPattern,
  draftOfHostPrototype,
  fieldsOfHostPrototype,
  isHostPrototypeValid,
} from "./host-prototype-draft";

const PROTOTYPE: HostPrototype = {
  hostid: "20",
  host: "vm {#ID}",
  name: "Machine {#NAME}",
  status: "1",
  discover: "0",
  inventory_mode: "1",
  custom_interfaces: "1",
  templateid: "0",
  groupLinks: [{ groupid: "2" }],
  groupPrototypes: [{ name: "At {#PLACE}" }],
  templates: [{ templateid: "7", name: "Machine" }],
  macros: [
    { hostmacroid: "5", macro: "{$S}", value: "", type: "1", description: "" },
    { hostmacroid: "6", macro: "{$ID}", value: "{#ID}", type: "0", description: "" },
  ],
  tags: [{ tag: "place", value: "{#PLACE}" }],
  interfaces: [
    {
      type: "1",
      main: "1",
      useip: "0",
      ip: "",
      dns: "{#ID}.example",
      port: "{#PORT}",
    },
  ],
};

test("a prototype is sent as it was read", () => {
  const fields = fieldsOfHostPrototype(PROTOTYPE);
  expect(isHostPrototypeValid(fields)).toBe(true);
  expect(draftOfHostPrototype("9", fields)).toEqual({
    ruleid: "9",
    host: "vm {#ID}",
    name: "Machine {#NAME}",
    status: "1",
    discover: "0",
    inventory_mode: "1",
    groupLinks: [{ groupid: "2" }],
    groupPrototypes: [{ name: "At {#PLACE}" }],
    templates: [{ templateid: "7" }],
    custom_interfaces: "1",
    interfaces: [
      { type: "1", main: "1", useip: "0", ip: "", dns: "{#ID}.example", port: "{#PORT}" },
    ],
    tags: [{ tag: "place", value: "{#PLACE}" }],
    // a secret that was not typed again stays
    macros: [
      { hostmacroid: "5", macro: "{$S}", type: "1", description: "" },
      { hostmacroid: "6", macro: "{$ID}", value: "{#ID}", type: "0", description: "" },
    ],
  });
});

test("without interfaces of its own none are sent, and the visible name is the technical one", () => {
  const fields = { ...fieldsOfHostPrototype(PROTOTYPE), custom: false, name: " " };
  const draft = draftOfHostPrototype("9", fields);
  expect(draft.interfaces).toEqual([]);
  expect(draft.name).toBe("vm {#ID}");
});

test("names of hosts and groups need a macro of the row", () => {
  for (const name of ["vm {#ID}", '{{#ID}.regsub("(.*)", "\\1")}', "a.b-{#X}_1"]) {
    expect(checkHostPattern(name).ok, name).toBe(true);
  }
  for (const name of ["", "vm", "{$ID}", "vm/{#ID}"]) {
    expect(checkHostPattern(name).ok, name).toBe(false);
  }
  expect(checkGroupPattern("Cluster/{#NAME}").ok).toBe(true);
  expect(checkGroupPattern("Cluster").ok).toBe(false);
  expect(isHostPrototypeValid(fieldsOfHostPrototype(undefined))).toBe(false);
});
