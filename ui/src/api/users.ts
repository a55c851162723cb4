// Users, their groups and roles, and the tokens that stand for them.

import * as z from "zod/mini";
import { checked } from "./checked";
import { ROLE } from "./generated/role";
import { TOKEN } from "./generated/token";
import { USER } from "./generated/user";
import { USER_GROUP } from "./generated/user-group";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf, readAs, readerOf } from "./objects";
import { call } from "./rpc";
import type { Id } from "./types";

const text = z.string();

const ROWS = readerOf(USER, {
  output: ["userid", "username", "name", "surname"],
  selects: {
    usrgrps: ["usrgrpid", "name", "users_status", "gui_access"],
    role: ["name", "type"],
  },
  params: { sortfield: "username" },
});

export type UserRow = AnswerOf<typeof ROWS>;

export async function fetchUsers(signal?: AbortSignal): Promise<readonly UserRow[]> {
  return ROWS.get({}, signal);
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

/** Users as super admins write them; medias have calls of their own. */
export const USERS = objectsOf(USER, {
  output: [
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
  ],
  selects: { usrgrps: ["usrgrpid"] },
  params: { sortfield: "username" },
});

export type User = AnswerOf<typeof USERS>;
export type UserDraft = DraftOf<"user">;

// ---- groups

export const USER_GROUPS = objectsOf(USER_GROUP, {
  output: ["usrgrpid", "name", "gui_access", "users_status"],
  selects: {
    users: ["userid", "username"],
    hostgroup_rights: "extend",
    templategroup_rights: "extend",
    tag_filters: "extend",
  },
});

export type UserGroup = AnswerOf<typeof USER_GROUPS>;
/** What the users of a group may do with the hosts or templates of another. */
export type GroupRight = UserGroup["hostgroup_rights"][number];
/** Problems of hosts in a host group that users see. */
export type TagFilter = UserGroup["tag_filters"][number];
export type UserGroupDraft = DraftOf<"usergroup">;

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

const STORED = objectsOf(ROLE, {
  output: ["roleid", "name", "type", "readonly"],
  selects: { rules: "extend", users: ["username"] },
});
type StoredRole = AnswerOf<typeof STORED>;
type StoredRules = NonNullable<StoredRole["rules"]>;

export interface Role extends Omit<StoredRole, "rules"> {
  readonly rules: RoleRules;
}

export interface RoleDraft {
  readonly name: string;
  readonly type: string;
  readonly rules: RoleRules;
}

const NO_TAG: ServiceTag = { tag: "", value: "" };
const ALL: ServiceRule = { all: true, serviceids: [], tag: NO_TAG };

function readRules(it: StoredRules | undefined): RoleRules {
  if (it === undefined) return newRules(ALL);
  const ruleOf = (kind: "read" | "write", usual: string): ServiceRule => ({
    all: (it[`services.${kind}.mode`] ?? usual) === "1",
    serviceids: it[`services.${kind}.list`].map(({ serviceid }) => serviceid),
    tag: it[`services.${kind}.tag`] ?? NO_TAG,
  });
  return {
    apiAccess: it["api.access"] !== "0",
    allowsMethods: it["api.mode"] === "1",
    methods: it.api,
    ui: it.ui,
    uiDefault: it["ui.default_access"] !== "0",
    actions: it.actions,
    actionsDefault: it["actions.default_access"] !== "0",
    read: ruleOf("read", "1"),
    write: ruleOf("write", "0"),
  };
}

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

function writtenRules(it: RoleDraft["rules"]): DraftOf<"role">["rules"] {
  const services = (kind: "read" | "write", rule: ServiceRule) =>
    rule.all
      ? {
          [`services.${kind}.mode`]: "1",
          [`services.${kind}.list`]: [],
          [`services.${kind}.tag`]: { tag: "", value: "" },
        }
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

const readRole = (it: StoredRole): Role => ({ ...it, rules: readRules(it.rules) });

export const ROLES = {
  ...readAs(STORED, readRole),
  create: (draft: RoleDraft) => STORED.create({ ...draft, rules: writtenRules(draft.rules) }),
  update: (id: Id, { rules, ...others }: Partial<RoleDraft>) =>
    STORED.update(id, rules === undefined ? others : { ...others, rules: writtenRules(rules) }),
} as const;

// ---- tokens

export const TOKENS = objectsOf(TOKEN);

export type Token = AnswerOf<typeof TOKENS>;
export type TokenDraft = DraftOf<"token">;

const generated = z.array(z.object({ tokenid: text, token: text }));

/** Gives a token a key, which is returned only this once; the previous key stops working. */
export async function generateToken(tokenid: Id): Promise<string> {
  const [made] = await call("token.generate", [tokenid], generated);
  return made?.token ?? "";
}
