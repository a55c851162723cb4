// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { GroupRight, GroupRightCreate } from "./parts";
import type { User } from "./user";

/** Users who have rights together. */
export interface UserGroup {
  /** Id. */
  readonly usrgrpid: string;
  /** Name. */
  readonly name: string;
  /** 0 default, 1 internal, 3 no pages, only the API; 2 (LDAP) is refused. Default: 0. */
  readonly gui_access: string;
  /** 1: users of the group are disabled. Default: 0. */
  readonly users_status: string;
  /** Kept for clients. Default: 0. */
  readonly debug_mode: string;
  /** Always 0. */
  readonly userdirectoryid: string;
  /** Always 0. */
  readonly mfa_status: string;
  /** Always 0. */
  readonly mfaid: string;
}

/** What `select…` parameters add. */
export interface UserGroupSelects {
  /** `selectUsers`; its number, as a text, with "count". */
  readonly users: readonly User[] | string;
  /** `selectHostGroupRights`; its number, as a text, with "count". */
  readonly hostgroup_rights: readonly GroupRight[] | string;
  /** `selectTemplateGroupRights`; its number, as a text, with "count". */
  readonly templategroup_rights: readonly GroupRight[] | string;
  /** `selectTagFilters`; its number, as a text, with "count". */
  readonly tag_filters: readonly [] | string;
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
  /** 0 default, 1 internal, 3 no pages, only the API; 2 (LDAP) is refused. Default: 0. */
  readonly gui_access?: string | number | undefined;
  /** 1: users of the group are disabled. Default: 0. */
  readonly users_status?: string | number | undefined;
  /** Kept for clients. Default: 0. */
  readonly debug_mode?: string | number | undefined;
  /** On host groups. */
  readonly hostgroup_rights?: readonly GroupRightCreate[] | undefined;
  /** On template groups. */
  readonly templategroup_rights?: readonly GroupRightCreate[] | undefined;
  /** Not used yet: empty. */
  readonly tag_filters?: readonly [] | undefined;
  /** Members. */
  readonly users?: readonly {
    /** Id. */
    readonly userid: string | number;
  }[] | undefined;
}

/** Parameters of `usergroup.update`: what is left out stays. */
export type UserGroupUpdate = Partial<UserGroupCreate> & { readonly usrgrpid: string };
