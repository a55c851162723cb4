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

/** What `select…` parameters add. */
export interface RoleSelects {
  /** `selectRules`. */
  readonly rules: {
    /** Whether users may call the API. Default: 1. */
    readonly "api.access": string;
    /** Only 0 yet. Default: 0. */
    readonly "api.mode": string;
    /** Only 1 yet. Default: 1. */
    readonly "ui.default_access": string;
    /** 1 all services may be read, 0 those of list and tag with those below them. Default: 1. */
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
    /** Only 1 yet. Default: 1. */
    readonly "modules.default_access": string;
    /** Only 1 yet. Default: 1. */
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
    /** Whether users may call the API. Default: 1. */
    readonly "api.access"?: string | number | undefined;
    /** Only 0 yet. Default: 0. */
    readonly "api.mode"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "ui.default_access"?: string | number | undefined;
    /** 1 all services may be read, 0 those of list and tag with those below them. Default: 1. */
    readonly "services.read.mode"?: string | number | undefined;
    /** Services to read. */
    readonly "services.read.list"?: readonly {
      /** Service. */
      readonly serviceid: string | number;
    }[] | undefined;
    /** Services to read, by tag. */
    readonly "services.read.tag"?: {
      /** Services with this tag; empty: none by tag. */
      readonly tag?: string | undefined;
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
      readonly tag?: string | undefined;
      /** Value of the tag; empty: any. */
      readonly value?: string | undefined;
    } | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "modules.default_access"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "actions.default_access"?: string | number | undefined;
  } | undefined;
}

/** Parameters of `role.update`: what is left out stays. */
export type RoleUpdate = Partial<RoleCreate> & { readonly roleid: string };
