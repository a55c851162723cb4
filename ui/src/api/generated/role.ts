// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { User } from "./user";

/** What kind of user someone is. */
export interface Role {
  /** Id. */
  readonly roleid: string;
  /** Name. */
  readonly name: string;
  /** 1 user, 2 admin, 3 super admin. */
  readonly type: string;
  /** 1: the role cannot be changed. */
  readonly readonly: string;
}

/** The properties of `select…` parameters. */
export interface RoleSelects {
  /** `selectRules`. */
  readonly rules: {
    /** Parts of the pages. */
    readonly ui: readonly {
      /** Name, as in Zabbix. */
      readonly name: string;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status: string;
    }[];
    /** 1 (without the rule, too): parts of the pages that are not named are allowed. */
    readonly "ui.default_access": string;
    /** 1 (without the rule, too): users may call the API. */
    readonly "api.access": string;
    /** 0 the methods that are named are denied, 1 they alone are allowed; 0 without any. */
    readonly "api.mode": string;
    /** Methods of the API; `host.*`, `*.get` and `*` stand for many. */
    readonly api: readonly string[];
    /** 1 all services may be read, 0 those of list and tag with those below them. */
    readonly "services.read.mode": string;
    /** Services to read. */
    readonly "services.read.list": readonly {
      /** Service. */
      readonly serviceid: string;
    }[];
    /** Services to read, by tag. */
    readonly "services.read.tag": {
      /** Services with this tag; empty: none by tag. */
      readonly tag: string;
      /** Value of the tag; empty: any. */
      readonly value: string;
    } | readonly [];
    /** 1 all services may be written, 0 those of list and tag with those below them; without it, 0 for users and 1 for admins. */
    readonly "services.write.mode": string;
    /** Services to write. */
    readonly "services.write.list": readonly {
      /** Service. */
      readonly serviceid: string;
    }[];
    /** Services to write, by tag. */
    readonly "services.write.tag": {
      /** Services with this tag; empty: none by tag. */
      readonly tag: string;
      /** Value of the tag; empty: any. */
      readonly value: string;
    } | readonly [];
    /** There are none. */
    readonly modules: readonly {
      /** There are none. */
      readonly moduleid: string;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status: string;
    }[];
    /** Kept: there are no modules. */
    readonly "modules.default_access": string;
    /** Actions. */
    readonly actions: readonly {
      /** Name, as in Zabbix. */
      readonly name: string;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status: string;
    }[];
    /** 1 (without the rule, too): actions that are not named are allowed. */
    readonly "actions.default_access": string;
  } | readonly [];
  /** `selectUsers`; its number, as a text, with "count". */
  readonly users: readonly User[] | string;
}

/** Parameters of `role.get`. */
export interface RoleGet extends GetParams<keyof Role> {
  readonly selectRules?: Output<string> | undefined;
  readonly selectUsers?: Output<keyof User> | "count" | undefined;
}

/** Parameters of `role.create`. */
export interface RoleCreate {
  /** Name. */
  readonly name: string;
  /** 1 user, 2 admin, 3 super admin. */
  readonly type: string | number;
  /** What users of the role may do. */
  readonly rules?: {
    /** Parts of the pages. */
    readonly ui?: readonly {
      /** Name, as in Zabbix. */
      readonly name: string;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status?: string | number | undefined;
    }[] | undefined;
    /** 1 (without the rule, too): parts of the pages that are not named are allowed. */
    readonly "ui.default_access"?: string | number | undefined;
    /** 1 (without the rule, too): users may call the API. */
    readonly "api.access"?: string | number | undefined;
    /** 0 the methods that are named are denied, 1 they alone are allowed; 0 without any. */
    readonly "api.mode"?: string | number | undefined;
    /** Methods of the API; `host.*`, `*.get` and `*` stand for many. */
    readonly api?: readonly string[] | undefined;
    /** 1 all services may be read, 0 those of list and tag with those below them. */
    readonly "services.read.mode"?: string | number | undefined;
    /** Services to read. */
    readonly "services.read.list"?: readonly {
      /** Service. */
      readonly serviceid: string | number;
    }[] | undefined;
    /** Services to read, by tag. */
    readonly "services.read.tag"?: {
      /** Services with this tag; empty: none by tag. */
      readonly tag: string;
      /** Value of the tag; empty: any. */
      readonly value?: string | undefined;
    } | undefined;
    /** 1 all services may be written, 0 those of list and tag with those below them; without it, 0 for users and 1 for admins. */
    readonly "services.write.mode"?: string | number | undefined;
    /** Services to write. */
    readonly "services.write.list"?: readonly {
      /** Service. */
      readonly serviceid: string | number;
    }[] | undefined;
    /** Services to write, by tag. */
    readonly "services.write.tag"?: {
      /** Services with this tag; empty: none by tag. */
      readonly tag: string;
      /** Value of the tag; empty: any. */
      readonly value?: string | undefined;
    } | undefined;
    /** There are none. */
    readonly modules?: readonly {
      /** There are none. */
      readonly moduleid: string | number;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status?: string | number | undefined;
    }[] | undefined;
    /** Kept: there are no modules. */
    readonly "modules.default_access"?: string | number | undefined;
    /** Actions. */
    readonly actions?: readonly {
      /** Name, as in Zabbix. */
      readonly name: string;
      /** 1 allowed, 0 denied. Default: 1. */
      readonly status?: string | number | undefined;
    }[] | undefined;
    /** 1 (without the rule, too): actions that are not named are allowed. */
    readonly "actions.default_access"?: string | number | undefined;
  } | undefined;
}

/** Parameters of `role.update`: omitted fields keep their values. */
export type RoleUpdate = Partial<RoleCreate> & { readonly roleid: string };

/** What forms and readers of answers have to know of it. */
export const ROLE = {
  object: "role",
  id: "roleid",
  ids: "roleids",
  fields: {
    roleid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    type: { type: "code", codes: ["1", "2", "3"], required: true },
    readonly: { type: "code", codes: ["0", "1"], readOnly: true },
    rules: {
      type: "object",
      fields: {
        ui: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true },
            status: { type: "code", codes: ["0", "1"], default: "1" },
          },
        },
        "ui.default_access": { type: "code", codes: ["0", "1"] },
        "api.access": { type: "code", codes: ["0", "1"] },
        "api.mode": { type: "code", codes: ["0", "1"] },
        api: { type: "texts" },
        "services.read.mode": { type: "code", codes: ["0", "1"] },
        "services.read.list": {
          type: "list",
          fields: { serviceid: { type: "id", required: true } },
        },
        "services.read.tag": {
          type: "object",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
          },
        },
        "services.write.mode": { type: "code", codes: ["0", "1"] },
        "services.write.list": {
          type: "list",
          fields: { serviceid: { type: "id", required: true } },
        },
        "services.write.tag": {
          type: "object",
          fields: {
            tag: { type: "text", max: 255, required: true },
            value: { type: "text", max: 255 },
          },
        },
        modules: {
          type: "list",
          fields: {
            moduleid: { type: "id", required: true },
            status: { type: "code", codes: ["0", "1"], default: "1" },
          },
        },
        "modules.default_access": { type: "code", codes: ["0", "1"] },
        actions: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true },
            status: { type: "code", codes: ["0", "1"], default: "1" },
          },
        },
        "actions.default_access": { type: "code", codes: ["0", "1"] },
      },
      notAnswered: true,
    },
  },
  selects: { rules: { param: "selectRules" }, users: { param: "selectUsers", objects: "user" } },
} as const;
