// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { MediaType } from "./media-type";
import type { Role } from "./role";
import type { UserGroup } from "./user-group";

/** A person who may log in. */
export interface User {
  /** Id. */
  readonly userid: string;
  /** Name to log in with. */
  readonly username: string;
  /** First name. */
  readonly name: string;
  /** Last name. */
  readonly surname: string;
  /** First page after login. */
  readonly url: string;
  /** 1: the browser stays logged in. Default: 0. */
  readonly autologin: string;
  /** Idle time that ends a session; 0: none. Default: 15m. */
  readonly autologout: string;
  /** Language. Default: default. */
  readonly lang: string;
  /** Kept for clients. Default: 30s. */
  readonly refresh: string;
  /** Theme. Default: default. */
  readonly theme: string;
  /** Kept for clients. Default: 50. */
  readonly rows_per_page: string;
  /** Time zone. Default: default. */
  readonly timezone: string;
  /** Role; 0: none, and no access. Default: 0. */
  readonly roleid: string;
  /** Always 0. */
  readonly userdirectoryid: string;
  /** Failed logins since the last successful one; shown to users of themselves, and to super admins of all. */
  readonly attempt_failed: string;
  /** Where the last failed login came from. */
  readonly attempt_ip: string;
  /** When the last failed login was; 0: there was none. */
  readonly attempt_clock: string;
  /** Always 0. */
  readonly ts_provisioned: string;
}

/** The properties of `select…` parameters. */
export interface UserSelects {
  /** `selectUsrgrps`. */
  readonly usrgrps: readonly UserGroup[];
  /** `selectRole`. */
  readonly role: Role | readonly [];
  /** `selectMedias`. */
  readonly medias: readonly {
    /** Id. */
    readonly mediaid: string;
    /** Media type. */
    readonly mediatypeid: string;
    /** Address; of e-mail a list of them. */
    readonly sendto: readonly string[];
    /** 0 enabled, 1 disabled. Default: 0. */
    readonly active: string;
    /** Sum of the severities that are sent: 1 not classified, 2 information, 4 warning, 8 average, 16 high, 32 disaster. Default: 63. */
    readonly severity: string;
    /** Times of the week at which messages are sent, or a user macro. Default: 1-7,00:00-24:00. */
    readonly period: string;
    /** Saker's own: quiet hours, times of the week at which messages below a severity wait, or a user macro; empty: none. */
    readonly quiet_period: string;
    /** Saker's own: messages about problems of this severity and above are sent in quiet hours too. Default: 4. */
    readonly quiet_severity: string;
  }[];
  /** `selectMediatypes`. */
  readonly mediatypes: readonly MediaType[];
}

/** Parameters of `user.get`. */
export interface UserGet extends GetParams<keyof User> {
  readonly selectUsrgrps?: Output<keyof UserGroup> | undefined;
  readonly selectRole?: Output<keyof Role> | undefined;
  readonly selectMedias?: Output<string> | undefined;
  readonly selectMediatypes?: Output<keyof MediaType> | undefined;
}

/** Parameters of `user.create`. */
export interface UserCreate {
  /** Name to log in with. */
  readonly username: string;
  /** First name. */
  readonly name?: string | undefined;
  /** Last name. */
  readonly surname?: string | undefined;
  /** Needed to change the own password. */
  readonly current_passwd?: string | undefined;
  /** Password. */
  readonly passwd?: string | undefined;
  /** First page after login. */
  readonly url?: string | undefined;
  /** 1: the browser stays logged in. Default: 0. */
  readonly autologin?: string | number | undefined;
  /** Idle time that ends a session; 0: none. Default: 15m. */
  readonly autologout?: string | undefined;
  /** Language. Default: default. */
  readonly lang?: string | undefined;
  /** Kept for clients. Default: 30s. */
  readonly refresh?: string | undefined;
  /** Theme. Default: default. */
  readonly theme?: string | undefined;
  /** Kept for clients. Default: 50. */
  readonly rows_per_page?: string | number | undefined;
  /** Time zone. Default: default. */
  readonly timezone?: string | undefined;
  /** Role; 0: none, and no access. Default: 0. */
  readonly roleid?: string | number | undefined;
  /** User groups. */
  readonly usrgrps?: readonly {
    /** Id. */
    readonly usrgrpid: string | number;
  }[] | undefined;
  /** Where messages reach the user. */
  readonly medias?: readonly {
    /** Id. */
    readonly mediaid?: string | number | undefined;
    /** Media type. */
    readonly mediatypeid: string | number;
    /** Address; of e-mail a list of them. */
    readonly sendto: readonly string[];
    /** 0 enabled, 1 disabled. Default: 0. */
    readonly active?: string | number | undefined;
    /** Sum of the severities that are sent: 1 not classified, 2 information, 4 warning, 8 average, 16 high, 32 disaster. Default: 63. */
    readonly severity?: string | number | undefined;
    /** Times of the week at which messages are sent, or a user macro. Default: 1-7,00:00-24:00. */
    readonly period?: string | undefined;
    /** Saker's own: quiet hours, times of the week at which messages below a severity wait, or a user macro; empty: none. */
    readonly quiet_period?: string | undefined;
    /** Saker's own: messages about problems of this severity and above are sent in quiet hours too. Default: 4. */
    readonly quiet_severity?: string | number | undefined;
  }[] | undefined;
}

/** Parameters of `user.update`: omitted fields keep their values. */
export type UserUpdate = Partial<UserCreate> & { readonly userid: string };

/** What forms and readers of answers have to know of it. */
export const USER = {
  object: "user",
  id: "userid",
  ids: "userids",
  fields: {
    userid: { type: "id", readOnly: true },
    username: { type: "text", max: 100, required: true },
    name: { type: "text", max: 100 },
    surname: { type: "text", max: 100 },
    current_passwd: { type: "text", max: 255, notAnswered: true },
    passwd: { type: "text", max: 255, notAnswered: true },
    url: { type: "text", max: 2048 },
    autologin: { type: "code", codes: ["0", "1"], default: "0" },
    autologout: {
      type: "text",
      max: 255,
      default: "15m",
      form: "period-or-0",
      within: [90, 86400],
    },
    lang: { type: "text", max: 255, default: "default" },
    refresh: { type: "text", max: 255, default: "30s", form: "period", within: [0, 3600] },
    theme: { type: "text", max: 255, default: "default" },
    rows_per_page: { type: "int", min: 1, max: 999999, default: "50" },
    timezone: { type: "text", max: 255, default: "default", form: "time-zone" },
    roleid: { type: "id", default: "0" },
    usrgrps: {
      type: "list",
      fields: { usrgrpid: { type: "id", required: true } },
      notAnswered: true,
    },
    medias: {
      type: "list",
      fields: {
        mediaid: { type: "id", readOnly: true },
        mediatypeid: { type: "id", required: true },
        sendto: { type: "texts", required: true },
        active: { type: "code", codes: ["0", "1"], default: "0" },
        severity: { type: "int", min: 0, max: 63, default: "63" },
        period: { type: "text", max: 1024, default: "1-7,00:00-24:00" },
        quiet_period: { type: "text", max: 1024 },
        quiet_severity: { type: "int", min: 0, max: 5, default: "4" },
      },
      notAnswered: true,
    },
    userdirectoryid: { type: "id", readOnly: true },
    attempt_failed: { type: "int", min: 0, max: 9223372036854775807, readOnly: true },
    attempt_ip: { type: "text", max: 255, readOnly: true },
    attempt_clock: { type: "time", readOnly: true },
    ts_provisioned: { type: "time", readOnly: true },
  },
  selects: {
    usrgrps: { param: "selectUsrgrps", objects: "usergroup" },
    role: { param: "selectRole", object: "role" },
    medias: { param: "selectMedias" },
    mediatypes: { param: "selectMediatypes", objects: "mediatype" },
  },
} as const;
