// A host prototype while it is edited, and the parameters that save it.

import type { HostPrototypeDraft } from "@/api/prototypes";
import type { HostPrototype, Id, Tag } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import {
  draftOfInterface,
  type InterfaceDraft,
  interfaceError,
  toInterface,
} from "@/widgets/interfaces/interface-draft";
import { type Keyed, keyed } from "@/widgets/keyed";
import { cleanMacros, type MacroDraft } from "@/widgets/macro-editor";
import { cleanTags } from "@/widgets/tag-editor";

export interface HostPrototypeFields {
  readonly host: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly discover: boolean;
  readonly inventory: string;
  readonly groupids: readonly Id[];
  readonly groups: readonly Keyed<{ readonly name: string }>[];
  readonly templates: readonly Id[];
  readonly custom: boolean;
  readonly interfaces: readonly InterfaceDraft[];
  readonly tags: readonly Keyed<Tag>[];
  readonly macros: readonly MacroDraft[];
}

const NEW: HostPrototypeFields = {
  host: "",
  name: "",
  enabled: true,
  discover: true,
  inventory: "-1",
  groupids: [],
  groups: [],
  templates: [],
  custom: false,
  interfaces: [],
  tags: [],
  macros: [],
};

export function fieldsOfHostPrototype(it: HostPrototype | undefined): HostPrototypeFields {
  if (it === undefined) return NEW;
  return {
    host: it.host,
    name: it.name === it.host ? "" : it.name,
    enabled: it.status === "0",
    discover: it.discover === "0",
    inventory: it.inventory_mode,
    groupids: it.groupLinks.map(({ groupid }) => groupid),
    groups: it.groupPrototypes.map(({ name }) => keyed({ name })),
    templates: it.templates.map(({ templateid }) => templateid),
    custom: it.custom_interfaces === "1",
    interfaces: it.interfaces.map(draftOfInterface),
    tags: it.tags.map(keyed),
    macros: it.macros.map(keyed),
  };
}

/** A row's value makes each host another one. */
export function checkHostPattern(name: string): Check {
  if (name.trim() === "") return bad(t("a name is required"), 0);
  const rest = name.replaceAll(/\{\{?#[^{}]*\}(\.[^{}]*\})?/gu, "");
  const wrong = rest.search(/[^0-9A-Za-z ._-]/);
  if (wrong >= 0) {
    return bad(t("“{char}” cannot be in a host's name", { char: rest[wrong] ?? "" }), 0);
  }
  return name.includes("{#") ? OK : bad(t("an LLD macro such as {#NAME} is required"), 0);
}

/** Such a group is another one for each value of a row. */
export function checkGroupPattern(name: string): Check {
  if (name.trim() === "") return OK;
  return name.includes("{#") ? OK : bad(t("an LLD macro such as {#NAME} is required"), 0);
}

export function isHostPrototypeValid(fields: HostPrototypeFields): boolean {
  return (
    checkHostPattern(fields.host).ok &&
    fields.groupids.length > 0 &&
    fields.groups.every(({ name }) => checkGroupPattern(name).ok) &&
    (!fields.custom || fields.interfaces.every((it) => interfaceError(it) === undefined))
  );
}

/** All that a user may write of one that is not inherited. */
export function draftOfHostPrototype(ruleid: Id, fields: HostPrototypeFields): HostPrototypeDraft {
  const host = fields.host.trim();
  return {
    ruleid,
    host,
    name: fields.name.trim() === "" ? host : fields.name.trim(),
    ...statesOfHostPrototype(fields),
    inventory_mode: fields.inventory,
    groupLinks: fields.groupids.map((groupid) => ({ groupid })),
    groupPrototypes: fields.groups
      .filter(({ name }) => name.trim() !== "")
      .map(({ name }) => ({ name: name.trim() })),
    templates: fields.templates.map((templateid) => ({ templateid })),
    custom_interfaces: fields.custom ? "1" : "0",
    interfaces: fields.custom
      ? fields.interfaces.map((it) => toInterface({ ...it, interfaceid: undefined }))
      : [],
    tags: cleanTags(fields.tags),
    macros: cleanMacros(fields.macros) as HostPrototypeDraft["macros"],
  };
}

/** What a user may change of an inherited one. */
export function statesOfHostPrototype(fields: HostPrototypeFields) {
  return { status: fields.enabled ? "0" : "1", discover: fields.discover ? "0" : "1" };
}
