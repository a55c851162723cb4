// Users, their groups and roles, and the tokens that stand for them.

import * as z from "zod/mini";
import { checked } from "./checked";
import type { RoleCreate } from "./generated/role";
import type { TokenCreate } from "./generated/token";
import type { UserCreate } from "./generated/user";
import type { UserGroupCreate } from "./generated/user-group";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

const text = z.string();

export interface UserRow {
  readonly userid: Id;
  readonly username: string;
  readonly name: string;
  readonly surname: string;
  readonly usrgrps: readonly UserGroupRef[];
  readonly role: { readonly name: string; readonly type: string } | undefined;
}

interface UserGroupRef {
  readonly usrgrpid: Id;
  readonly name: string;
  /** "1": its users are disabled */
  readonly users_status: string;
  /** "3": its users see no pages */
  readonly gui_access: string;
}

const groupRef = z.object({ usrgrpid: text, name: text, users_status: text, gui_access: text });
// nothing is an empty list in Zabbix's answers
const role = z.pipe(
  z.union([z.object({ name: text, type: text }), z.array(z.unknown())]),
  z.transform((it) => (Array.isArray(it) ? undefined : it)),
);
const userRow = z.object({
  userid: text,
  username: text,
  name: text,
  surname: text,
  usrgrps: z.array(groupRef),
  role,
}) as unknown as z.ZodMiniType<UserRow>;

export async function fetchUsers(signal?: AbortSignal): Promise<readonly UserRow[]> {
  const params = {
    output: ["userid", "username", "name", "surname"],
    selectUsrgrps: ["usrgrpid", "name", "users_status", "gui_access"],
    selectRole: ["name", "type"],
    sortfield: "username",
  } as const;
  return call("user.get", params, schema.listOf(userRow), signal);
}

const seen = z.object({
  clock: z.number(),
  users: z.array(z.object({ userid: text, lastaccess: z.number(), session: z.boolean() })),
});

export interface LastSeen {
  readonly lastaccess: number;
  /** whether the user has a session, and so may still be there */
  readonly session: boolean;
}

export interface UsersSeen {
  /** the server's time */
  readonly clock: number;
  /** when a user was last there; who never was is not in it */
  readonly last: ReadonlyMap<Id, LastSeen>;
}

export async function fetchUsersSeen(signal?: AbortSignal): Promise<UsersSeen> {
  const found = checked("users", await http("/api/v1/users/seen", { signal }), seen);
  const last = new Map(found.users.map(({ userid, ...it }) => [userid, it]));
  return { clock: found.clock, last };
}

/** A user as super admins write it; medias have calls of their own. */
export interface User {
  readonly userid: Id;
  readonly username: string;
  readonly name: string;
  readonly surname: string;
  readonly roleid: Id;
  readonly autologin: string;
  readonly autologout: string;
  readonly lang: string;
  readonly theme: string;
  readonly timezone: string;
  readonly url: string;
  readonly refresh: string;
  readonly rows_per_page: string;
  readonly usrgrps: readonly { readonly usrgrpid: Id }[];
}

const user: z.ZodMiniType<User> = z.object({
  userid: text,
  username: text,
  name: text,
  surname: text,
  roleid: text,
  autologin: text,
  autologout: text,
  lang: text,
  theme: text,
  timezone: text,
  url: text,
  refresh: text,
  rows_per_page: text,
  usrgrps: z.array(z.object({ usrgrpid: text })),
});

export async function fetchUser(userid: Id, signal?: AbortSignal): Promise<User | undefined> {
  const output = [
    "userid",
    "username",
    "name",
    "surname",
    "roleid",
    "autologin",
    "autologout",
    "lang",
    "theme",
    "timezone",
    "url",
    "refresh",
    "rows_per_page",
  ] as const;
  const params = { userids: [userid], output, selectUsrgrps: ["usrgrpid"] } as const;
  return (await call("user.get", params, schema.listOf(user), signal))[0];
}

export async function createUser(draft: UserCreate): Promise<Id> {
  const ids = await call("user.create", draft, schema.createdIds("userids"));
  return ids[0] ?? "";
}

export async function updateUser(userid: Id, draft: Partial<UserCreate>): Promise<void> {
  await call("user.update", { userid, ...draft }, schema.changed);
}

export async function deleteUsers(ids: readonly Id[]): Promise<void> {
  await call("user.delete", ids, schema.changed);
}

// ---- groups

/** What the users of a group may do with the hosts or templates of another. */
export interface GroupRight {
  readonly id: Id;
  /** 0 denied, 2 read, 3 read and write */
  readonly permission: string;
}

/** Problems of hosts in a host group that users see. */
export interface TagFilter {
  readonly groupid: Id;
  /** empty: all problems of the group */
  readonly tag: string;
  /** empty: any */
  readonly value: string;
}

export interface UserGroup {
  readonly usrgrpid: Id;
  readonly name: string;
  readonly gui_access: string;
  readonly users_status: string;
  readonly users: readonly { readonly userid: Id; readonly username: string }[];
  readonly hostgroup_rights: readonly GroupRight[];
  readonly templategroup_rights: readonly GroupRight[];
  readonly tag_filters: readonly TagFilter[];
}

const right: z.ZodMiniType<GroupRight> = z.object({ id: text, permission: text });
const userGroup: z.ZodMiniType<UserGroup> = z.object({
  usrgrpid: text,
  name: text,
  gui_access: text,
  users_status: text,
  users: z.array(z.object({ userid: text, username: text })),
  hostgroup_rights: z.array(right),
  templategroup_rights: z.array(right),
  tag_filters: z.array(z.object({ groupid: text, tag: text, value: text })),
});

export async function fetchUserGroups(
  ids?: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly UserGroup[]> {
  const params = {
    ...(ids === undefined ? {} : { usrgrpids: ids }),
    output: ["usrgrpid", "name", "gui_access", "users_status"],
    selectUsers: ["userid", "username"],
    selectHostGroupRights: "extend",
    selectTemplateGroupRights: "extend",
    selectTagFilters: "extend",
    sortfield: "name",
  } as const;
  return call("usergroup.get", params, schema.listOf(userGroup), signal);
}

export async function createUserGroup(draft: UserGroupCreate): Promise<Id> {
  const ids = await call("usergroup.create", draft, schema.createdIds("usrgrpids"));
  return ids[0] ?? "";
}

export async function updateUserGroup(
  usrgrpid: Id,
  draft: Partial<UserGroupCreate>,
): Promise<void> {
  await call("usergroup.update", { usrgrpid, ...draft }, schema.changed);
}

export async function deleteUserGroups(ids: readonly Id[]): Promise<void> {
  await call("usergroup.delete", ids, schema.changed);
}

// ---- roles

export interface ServiceTag {
  readonly tag: string;
  readonly value: string;
}

/** A part of the pages or an action, and whether a role has it. */
export interface RoleElement {
  readonly name: string;
  /** "1": yes */
  readonly status: string;
}

export interface RoleRules {
  readonly apiAccess: boolean;
  /** methods of the API that are named are allowed, not denied */
  readonly allowsMethods: boolean;
  readonly methods: readonly string[];
  readonly ui: readonly RoleElement[];
  readonly uiDefault: boolean;
  readonly actions: readonly RoleElement[];
  readonly actionsDefault: boolean;
  readonly read: ServiceRule;
  readonly write: ServiceRule;
}

/** Which services: all, or those of a list or with a tag. */
export interface ServiceRule {
  readonly all: boolean;
  readonly serviceids: readonly Id[];
  readonly tag: ServiceTag;
}

export interface Role {
  readonly roleid: Id;
  readonly name: string;
  /** 1 user, 2 admin, 3 super admin */
  readonly type: string;
  readonly readonly: string;
  readonly users: readonly { readonly username: string }[];
  readonly rules: RoleRules;
}

const serviceTag = z.pipe(
  z.optional(z.union([z.object({ tag: text, value: text }), z.array(z.unknown())])),
  z.transform(
    (it): ServiceTag => (it === undefined || Array.isArray(it) ? { tag: "", value: "" } : it),
  ),
);
const serviceList = z._default(z.array(z.object({ serviceid: text })), []);
const flag = (fallback: string) => z._default(text, fallback);
const elements = z._default(z.array(z.object({ name: text, status: text })), []);
const rules = z.pipe(
  z.union([
    z.object({
      ui: elements,
      "ui.default_access": flag("1"),
      actions: elements,
      "actions.default_access": flag("1"),
      "api.access": flag("1"),
      "api.mode": flag("0"),
      api: z._default(z.array(text), []),
      "services.read.mode": flag("1"),
      "services.read.list": serviceList,
      "services.read.tag": serviceTag,
      "services.write.mode": flag("0"),
      "services.write.list": serviceList,
      "services.write.tag": serviceTag,
    }),
    z.array(z.unknown()),
  ]),
  z.transform((it): RoleRules => {
    if (Array.isArray(it)) return newRules(ALL);
    const ruleOf = (kind: "read" | "write"): ServiceRule => ({
      all: it[`services.${kind}.mode`] === "1",
      serviceids: it[`services.${kind}.list`].map(({ serviceid }) => serviceid),
      tag: it[`services.${kind}.tag`],
    });
    return {
      apiAccess: it["api.access"] === "1",
      allowsMethods: it["api.mode"] === "1",
      methods: it.api,
      ui: it.ui,
      uiDefault: it["ui.default_access"] === "1",
      actions: it.actions,
      actionsDefault: it["actions.default_access"] === "1",
      read: ruleOf("read"),
      write: ruleOf("write"),
    };
  }),
);
const ALL: ServiceRule = { all: true, serviceids: [], tag: { tag: "", value: "" } };

/** Rules that restrict nothing but services that may be changed. */
export function newRules(write: ServiceRule): RoleRules {
  return {
    apiAccess: true,
    allowsMethods: false,
    methods: [],
    ui: [],
    uiDefault: true,
    actions: [],
    actionsDefault: true,
    read: ALL,
    write,
  };
}

const roleRow = z.object({
  roleid: text,
  name: text,
  type: text,
  readonly: text,
  users: z.array(z.object({ username: text })),
  rules,
}) as unknown as z.ZodMiniType<Role>;

export async function fetchRoles(
  ids?: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly Role[]> {
  const params = {
    ...(ids === undefined ? {} : { roleids: ids }),
    output: ["roleid", "name", "type", "readonly"],
    selectRules: "extend",
    selectUsers: ["username"],
    sortfield: "name",
  } as const;
  return call("role.get", params, schema.listOf(roleRow), signal);
}

export interface RoleDraft {
  readonly name: string;
  readonly type: string;
  readonly rules: RoleRules;
}

function writtenRules(it: RoleDraft["rules"]): NonNullable<RoleCreate["rules"]> {
  const services = (kind: "read" | "write", rule: ServiceRule) =>
    rule.all
      ? { [`services.${kind}.mode`]: "1" }
      : {
          [`services.${kind}.mode`]: "0",
          [`services.${kind}.list`]: rule.serviceids.map((serviceid) => ({ serviceid })),
          [`services.${kind}.tag`]: rule.tag,
        };
  const flagOf = (is: boolean) => (is ? "1" : "0");
  return {
    ui: it.ui,
    "ui.default_access": flagOf(it.uiDefault),
    actions: it.actions,
    "actions.default_access": flagOf(it.actionsDefault),
    "api.access": flagOf(it.apiAccess),
    "api.mode": flagOf(it.allowsMethods),
    api: it.methods,
    ...services("read", it.read),
    ...services("write", it.write),
  };
}

export async function createRole(draft: RoleDraft): Promise<Id> {
  const params = { ...draft, rules: writtenRules(draft.rules) };
  const ids = await call("role.create", params, schema.createdIds("roleids"));
  return ids[0] ?? "";
}

export async function updateRole(roleid: Id, draft: Partial<RoleDraft>): Promise<void> {
  const { rules, ...others } = draft;
  const changes = rules === undefined ? others : { ...others, rules: writtenRules(rules) };
  await call("role.update", { roleid, ...changes }, schema.changed);
}

export async function deleteRoles(ids: readonly Id[]): Promise<void> {
  await call("role.delete", ids, schema.changed);
}

// ---- tokens

export interface Token {
  readonly tokenid: Id;
  readonly name: string;
  readonly description: string;
  readonly userid: Id;
  readonly status: string;
  readonly expires_at: string;
  readonly created_at: string;
  readonly creator_userid: Id;
}

const token: z.ZodMiniType<Token> = z.object({
  tokenid: text,
  name: text,
  description: text,
  userid: text,
  status: text,
  expires_at: text,
  created_at: text,
  creator_userid: text,
});

export async function fetchTokens(signal?: AbortSignal): Promise<readonly Token[]> {
  const params = { output: "extend", sortfield: "name" } as const;
  return call("token.get", params, schema.listOf(token), signal);
}

export async function fetchToken(id: Id, signal?: AbortSignal): Promise<Token | undefined> {
  const params = { tokenids: [id], output: "extend" } as const;
  return (await call("token.get", params, schema.listOf(token), signal))[0];
}

const generated = z.array(z.object({ tokenid: text, token: text }));

/** Gives a token a key, which is returned only this once; the previous key stops working. */
export async function generateToken(tokenid: Id): Promise<string> {
  const [made] = await call("token.generate", [tokenid], generated);
  return made?.token ?? "";
}

export async function createToken(draft: TokenCreate): Promise<Id> {
  const ids = await call("token.create", draft, schema.createdIds("tokenids"));
  return ids[0] ?? "";
}

export async function updateToken(
  tokenid: Id,
  draft: Partial<Omit<TokenCreate, "userid">>,
): Promise<void> {
  await call("token.update", { tokenid, ...draft }, schema.changed);
}

export async function deleteTokens(ids: readonly Id[]): Promise<void> {
  await call("token.delete", ids, schema.changed);
}
