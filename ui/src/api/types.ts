// Objects as the pages use them: what they ask for of the types that are generated from the server's
// descriptions (`generated`), with what `select…` adds. Ids and numbers are strings, as in Zabbix 7.0.

import type * as event from "./generated/event";
import type * as history from "./generated/history-value";
import type * as host from "./generated/host";
import type * as hostInterface from "./generated/host-interface";
import type * as parts from "./generated/parts";
import type * as templateGroup from "./generated/template-group";
import type { Item, REQUEST_FIELDS } from "./items";
import type { ProblemRow } from "./problem-table";
import type { TemplateRef } from "./templates";

export type Id = string;
export type Tag = parts.Tag;
export type PreprocessingStep = parts.PreprocessingStep;

/** What may be left out of an answer. */
type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface SessionUser {
  readonly userid: Id;
  readonly username: string;
  readonly name: string;
  readonly surname: string;
  readonly roleid: Id;
  /** 1 user, 2 admin, 3 super admin */
  readonly type: number;
  /** parts of the pages that the role lets see, by Zabbix's names; undefined: a server that knows none */
  readonly ui?: readonly string[] | undefined;
  /** what the role lets do, by Zabbix's names; undefined: as above */
  readonly actions?: readonly string[] | undefined;
  /** methods that the pages may not call for him; undefined: as above */
  readonly denied?: readonly string[] | undefined;
  /** the page after the login; empty: the first one */
  readonly url: string;
  /** "default": as the browser */
  readonly theme: string;
  /** a locale as ru_RU; "default": as the browser */
  readonly lang: string;
  /** "default" or "system": as the browser */
  readonly timezone: string;
  /** seconds without a hand on mouse or keyboard after which one is signed out; 0: never */
  readonly autologout: number;
  /** how many rows a long list fetches at once */
  readonly rows_per_page: number;
  /** the server's time zone, by its IANA name; undefined where it has none */
  readonly serverZone: string | undefined;
}

export type {
  DiscoveryRule,
  LldFilter,
  LldMacroPath,
  LldOverride,
  LldOverrideOperation,
} from "./discovery";
export type { Item, ValueMap } from "./items";
export type { HostPrototype, ItemPrototype, TriggerPrototype } from "./prototypes";
export type { Dependency, Trigger } from "./triggers";

/** What items, their prototypes and discovery rules have that only some types use. */
export type RequestContent = Pick<Item, "type" | "params" | "trapper_hosts" | RequestField>;
type RequestField = (typeof REQUEST_FIELDS)[number];

/** A user macro of a host, a template, or of all; its value is missing where it is secret. */
export type Macro = Pick<parts.HostMacro, "macro" | "value" | "description" | "type"> & {
  readonly hostmacroid?: Id | undefined;
  readonly globalmacroid?: Id | undefined;
  readonly hostid?: Id | undefined;
};

/** Only what its version uses is there. */
export type SnmpDetails = Pick<parts.SnmpDetails, "version" | "bulk"> &
  Maybe<Omit<parts.SnmpDetails, "version" | "bulk">>;

export type HostInterface = Pick<
  hostInterface.HostInterface,
  "type" | "main" | "useip" | "ip" | "dns" | "port" | "available" | "error"
> & {
  readonly interfaceid?: Id | undefined;
  readonly details?: SnmpDetails | undefined;
};

export type GroupRef = Pick<templateGroup.TemplateGroup, "groupid" | "name">;

/** Numbers of what belongs to a host or template. */
interface Counts {
  readonly items: string;
  readonly triggers: string;
  readonly discoveries: string;
}

type IpmiFields = "ipmi_authtype" | "ipmi_privilege" | "ipmi_username";
type EncryptionFields = "tls_connect" | "tls_accept" | "tls_issuer" | "tls_subject";

export type Host = Pick<
  host.Host,
  | "hostid"
  | "host"
  | "name"
  | "status"
  | "description"
  | "active_available"
  | IpmiFields
  | EncryptionFields
> &
  Counts & {
    readonly interfaces: readonly HostInterface[];
    readonly hostgroups: readonly GroupRef[];
    readonly parentTemplates: readonly TemplateRef[];
    readonly tags: readonly Tag[];
    readonly macros: readonly Macro[];
    readonly parents: readonly Pick<host.Host, "hostid">[];
  };

/** A host as a line of a list. */
export type HostRow = Omit<
  Host,
  "description" | "macros" | "parents" | IpmiFields | EncryptionFields
>;
export type HostName = Pick<host.Host, "hostid" | "name">;

/** An item as charts and lists of values need it. */
export interface ValuedItem {
  readonly itemid: Id;
  readonly hostid: Id;
  readonly host: string;
  readonly name: string;
  readonly key: string;
  readonly units: string;
  readonly valueType: number;
  readonly lastvalue: string;
  /** seconds; 0 when nothing was received yet */
  readonly lastclock: number;
  readonly state: string;
  readonly error: string;
}

export type EventAcknowledge = Pick<
  parts.EventAcknowledge,
  | "acknowledgeid"
  | "userid"
  | "clock"
  | "message"
  | "action"
  | "old_severity"
  | "new_severity"
  | "suppress_until"
> &
  Maybe<Pick<parts.EventAcknowledge, "username">>;

export type ProblemEvent = Pick<
  event.Event,
  "eventid" | "objectid" | "clock" | "value" | "name" | "severity" | "acknowledged" | "r_eventid"
> & {
  readonly acknowledges: readonly EventAcknowledge[];
  /** entries that webhooks give its menu */
  readonly urls: readonly EventUrl[];
};

export interface EventUrl {
  readonly url: string;
  readonly name: string;
}

export type HistoryValue = Pick<history.HistoryValue, "itemid" | "clock" | "ns" | "value">;

/** `GET /api/v1/overview` and the stream's message of the same name. */
/** Open problems that are not suppressed. */
export type ProblemCounts = readonly {
  readonly severity: number;
  readonly total: number;
  readonly acknowledged: number;
}[];

export interface Overview {
  readonly system: {
    readonly version: string;
    readonly state: string;
    readonly uptime_s: number;
    readonly hosts_total: number;
    readonly hosts_available: number;
    readonly hosts_unavailable: number;
    readonly items_total: number;
    readonly items_supported: number;
    readonly items_unsupported: number;
    readonly triggers_total: number;
    readonly values_total: number;
    readonly values_per_second: number;
    readonly required_values_per_second: number;
    readonly journal: { readonly bytes: number; readonly lag_ms: number };
    readonly shards: readonly {
      readonly id: number;
      readonly busy_percent: number;
      readonly queue: number;
    }[];
    readonly queue_overdue: number;
    readonly memory_bytes: number;
    readonly cpu_percent: number;
  };
  readonly problems_by_severity: ProblemCounts;
  /** open ones that are not suppressed, worst first */
  readonly worst_problems: readonly ProblemRow[];
  readonly nvps: { readonly t: readonly number[]; readonly v: readonly number[] };
}

/** A beginning or an end of a problem, with the hosts that it is about. */
export interface HostEvent {
  readonly eventid: Id;
  readonly clock: string;
  /** "1": a problem began, "0": it ended */
  readonly value: string;
  readonly name: string;
  readonly severity: string;
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
}

/** Buckets of one item: `GET /api/v1/series`. Times in seconds. */
export interface Series {
  readonly itemid: Id;
  readonly t: readonly number[];
  readonly min: readonly (number | null)[];
  readonly avg: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  readonly count: readonly number[];
  /** the newest value of the range */
  readonly last: number | null;
  /** what was read, in order of time; without a gap */
  readonly parts: readonly SeriesPart[];
}

export interface SeriesPart {
  readonly source: "history" | "trends";
  /** both included */
  readonly from: number;
  readonly to: number;
}

export interface ExpressionCheck {
  readonly ok: boolean;
  readonly error?: { readonly message: string; readonly position: number } | undefined;
}
