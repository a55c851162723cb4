// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { GroupRight, GroupRightCreate } from "./parts";
import type { User } from "./user";

/** Users with common permissions. */
export interface UserGroup {
  /** Id. */
  readonly usrgrpid: string;
  /** Name. */
  readonly name: string;
  /** 0 default, 1 internal, 2 LDAP (logins are not possible yet), 3 no pages, only the API. Default: 0. */
  readonly gui_access: string;
  /** 1: users of the group are disabled. Default: 0. */
  readonly users_status: string;
  /** 1: debug mode; kept for clients. Default: 0. */
  readonly debug_mode: string;
  /** Always 0. Default: 0. */
  readonly userdirectoryid: string;
  /** Always 0. Default: 0. */
  readonly mfa_status: string;
  /** Always 0. Default: 0. */
  readonly mfaid: string;
}

/** The properties of `select…` parameters. */
export interface UserGroupSelects {
  /** `selectUsers`; its number, as a text, with "count". */
  readonly users: readonly User[] | string;
  /** `selectHostGroupRights`; its number, as a text, with "count". */
  readonly hostgroup_rights: readonly GroupRight[] | string;
  /** `selectTemplateGroupRights`; its number, as a text, with "count". */
  readonly templategroup_rights: readonly GroupRight[] | string;
  /** `selectTagFilters`; its number, as a text, with "count". */
  readonly tag_filters: readonly {
    /** Host group. */
    readonly groupid: string;
    /** Problems with this tag are seen; empty: all of the host group. */
    readonly tag: string;
    /** Value of the tag; empty: any. */
    readonly value: string;
  }[] | string;
  /** `selectRights`; its number, as a text, with "count". */
  readonly rights: readonly GroupRight[] | string;
}

/** Parameters of `usergroup.get`. */
export interface UserGroupGet extends GetParams<keyof UserGroup> {
  readonly selectUsers?: Output<keyof User> | "count" | undefined;
  readonly selectHostGroupRights?: Output<keyof GroupRight> | "count" | undefined;
  readonly selectTemplateGroupRights?: Output<keyof GroupRight> | "count" | undefined;
  readonly selectTagFilters?: Output<string> | "count" | undefined;
  readonly selectRights?: Output<keyof GroupRight> | "count" | undefined;
}

/** Parameters of `usergroup.create`. */
export interface UserGroupCreate {
  /** Name. */
  readonly name: string;
  /** 0 default, 1 internal, 2 LDAP (logins are not possible yet), 3 no pages, only the API. Default: 0. */
  readonly gui_access?: string | number | undefined;
  /** 1: users of the group are disabled. Default: 0. */
  readonly users_status?: string | number | undefined;
  /** 1: debug mode; kept for clients. Default: 0. */
  readonly debug_mode?: string | number | undefined;
  /** Always 0. Default: 0. */
  readonly userdirectoryid?: string | number | undefined;
  /** Always 0. Default: 0. */
  readonly mfa_status?: string | number | undefined;
  /** Always 0. Default: 0. */
  readonly mfaid?: string | number | undefined;
  /** On host groups. */
  readonly hostgroup_rights?: readonly GroupRightCreate[] | undefined;
  /** On template groups. */
  readonly templategroup_rights?: readonly GroupRightCreate[] | undefined;
  /** Problems that users see; as soon as there is one, of host groups that none names no problem is seen. */
  readonly tag_filters?: readonly {
    /** Host group. */
    readonly groupid: string | number;
    /** Problems with this tag are seen; empty: all of the host group. */
    readonly tag?: string | undefined;
    /** Value of the tag; empty: any. */
    readonly value?: string | undefined;
  }[] | undefined;
  /** Members. */
  readonly users?: readonly {
    /** Id. */
    readonly userid: string | number;
  }[] | undefined;
}

/** Parameters of `usergroup.update`: omitted fields keep their values. */
export type UserGroupUpdate = Partial<UserGroupCreate> & { readonly usrgrpid: string };

/** What forms and readers of answers have to know of it. */
export const USER_GROUP = {
  object: "usergroup",
  id: "usrgrpid",
  ids: "usrgrpids",
  fields: {
    usrgrpid: { type: "id", readOnly: true },
    name: { type: "text", max: 64, required: true },
    gui_access: {
      type: "code",
      codes: ["0", "1", "2", "3"],
      default: "0",
      names: { DEFAULT: "0", INTERNAL: "1", LDAP: "2", DISABLED: "3" },
    },
    users_status: { type: "code", codes: ["0", "1"], default: "0" },
    debug_mode: { type: "code", codes: ["0", "1"], default: "0" },
    userdirectoryid: {
      type: "id",
      default: "0",
      absentElsewhere: true,
      only: [{ field: "gui_access", oneOf: ["0", "2"] }],
    },
    mfa_status: { type: "code", codes: ["0", "1"], default: "0" },
    mfaid: { type: "id", default: "0", only: [{ field: "mfa_status", oneOf: ["1"] }] },
    hostgroup_rights: {
      type: "list",
      fields: {
        id: { type: "id", required: true },
        permission: {
          type: "code",
          codes: ["0", "2", "3"],
          required: true,
          names: { DENY: "0", READ: "2", READ_WRITE: "3" },
        },
      },
      notAnswered: true,
    },
    templategroup_rights: {
      type: "list",
      fields: {
        id: { type: "id", required: true },
        permission: {
          type: "code",
          codes: ["0", "2", "3"],
          required: true,
          names: { DENY: "0", READ: "2", READ_WRITE: "3" },
        },
      },
      notAnswered: true,
    },
    tag_filters: {
      type: "list",
      fields: {
        groupid: { type: "id", required: true },
        tag: { type: "text", max: 255 },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    users: { type: "list", fields: { userid: { type: "id", required: true } }, notAnswered: true },
  },
  selects: {
    users: { param: "selectUsers", objects: "user" },
    hostgroup_rights: { param: "selectHostGroupRights" },
    templategroup_rights: { param: "selectTemplateGroupRights" },
    tag_filters: { param: "selectTagFilters" },
    rights: {
      param: "selectRights",
      list: {
        id: { type: "id", required: true },
        permission: { type: "code", codes: ["0", "2", "3"], required: true },
      },
    },
  },
} as const;
