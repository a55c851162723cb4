// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostGroup } from "./host-group";
import type { Template } from "./template";
import type { TemplateGroup } from "./template-group";

/** A value with a name, used in keys, expressions and texts. */
export interface UserMacro {
  /** Id. */
  readonly hostmacroid: string;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type: string;
  /** Value. */
  readonly value: string;
  /** Description. */
  readonly description: string;
  /** 1 if discovery made it. Default: 0. */
  readonly automatic: string;
}

/** The properties of `select…` parameters. */
export interface UserMacroSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectTemplates`. */
  readonly templates: readonly Template[];
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectGroups`. */
  readonly groups: readonly HostGroup[];
  /** `selectTemplateGroups`. */
  readonly templategroups: readonly TemplateGroup[];
}

/** Parameters of `usermacro.get`. */
export interface UserMacroGet extends GetParams<keyof UserMacro> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectTemplates?: Output<keyof Template> | undefined;
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectGroups?: Output<keyof HostGroup> | undefined;
  readonly selectTemplateGroups?: Output<keyof TemplateGroup> | undefined;
}

/** Parameters of `usermacro.create`. */
export interface UserMacroCreate {
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string | number;
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type?: string | number | undefined;
  /** Value. */
  readonly value: string;
  /** Description. */
  readonly description?: string | undefined;
  /** 1 if discovery made it. Default: 0. */
  readonly automatic?: string | number | undefined;
}

/** Parameters of `usermacro.update`: omitted fields keep their values. */
export type UserMacroUpdate = Partial<Omit<UserMacroCreate, "hostid">> & { readonly hostmacroid: string };

/** What forms and readers of answers have to know of it. */
export const USER_MACRO = {
  object: "usermacro",
  id: "hostmacroid",
  ids: "hostmacroids",
  fields: {
    hostmacroid: { type: "id", readOnly: true },
    hostid: { type: "id", fixed: true, required: true },
    macro: { type: "text", max: 255, required: true, form: "user-macro" },
    type: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { TEXT: "0", SECRET: "1", VAULT: "2" },
    },
    value: { type: "text", max: 2048, required: true },
    description: { type: "text", max: 65535 },
    automatic: { type: "code", codes: ["0", "1"], default: "0" },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    templates: { param: "selectTemplates", objects: "template" },
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    groups: { param: "selectGroups", objects: "hostgroup" },
    templategroups: { param: "selectTemplateGroups", objects: "templategroup" },
  },
} as const;
