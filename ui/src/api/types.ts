// Objects as the API sends them: Zabbix 7.0's names, ids and numbers as strings. Written by hand until
// the types generated from the server's descriptions replace them in `api/generated`.

export type Id = string;

export interface SessionUser {
  readonly userid: Id;
  readonly username: string;
  readonly name: string;
  readonly surname: string;
  readonly roleid: Id;
  /** 1 user, 2 admin, 3 super admin */
  readonly type: number;
}

export interface Tag {
  readonly tag: string;
  readonly value: string;
}

export interface Macro {
  readonly macro: string;
  readonly value: string;
  readonly description: string;
  /** 0 text, 1 secret, 2 vault */
  readonly type: string;
  readonly hostmacroid?: Id | undefined;
  readonly globalmacroid?: Id | undefined;
  readonly hostid?: Id | undefined;
}

export interface SnmpDetails {
  /** 1, 2 (v2c) or 3 */
  readonly version: string;
  readonly bulk: string;
  readonly community?: string | undefined;
  readonly max_repetitions?: string | undefined;
  readonly securityname?: string | undefined;
  readonly securitylevel?: string | undefined;
  readonly authprotocol?: string | undefined;
  readonly authpassphrase?: string | undefined;
  readonly privprotocol?: string | undefined;
  readonly privpassphrase?: string | undefined;
  readonly contextname?: string | undefined;
}

export interface HostInterface {
  readonly interfaceid?: Id | undefined;
  /** 1 agent, 2 SNMP, 3 IPMI, 4 JMX */
  readonly type: string;
  readonly main: string;
  readonly useip: string;
  readonly ip: string;
  readonly dns: string;
  readonly port: string;
  /** 0 unknown, 1 available, 2 unavailable */
  readonly available: string;
  readonly error: string;
  readonly details?: SnmpDetails | undefined;
}

export interface GroupRef {
  readonly groupid: Id;
  readonly name: string;
}

export interface TemplateRef {
  readonly templateid: Id;
  readonly name: string;
}

export interface Host {
  readonly hostid: Id;
  readonly host: string;
  readonly name: string;
  /** 0 monitored, 1 not monitored */
  readonly status: string;
  readonly description: string;
  readonly active_available: string;
  readonly interfaces: readonly HostInterface[];
  readonly hostgroups: readonly GroupRef[];
  readonly parentTemplates: readonly TemplateRef[];
  readonly tags: readonly Tag[];
  readonly macros: readonly Macro[];
  readonly items: string;
  readonly triggers: string;
  readonly discoveries: string;
}

export interface Template {
  readonly templateid: Id;
  readonly host: string;
  readonly name: string;
  readonly description: string;
  readonly templategroups: readonly GroupRef[];
  readonly parentTemplates: readonly TemplateRef[];
  readonly hosts: string;
  readonly items: string;
  readonly triggers: string;
  readonly discoveries: string;
  readonly tags: readonly Tag[];
  readonly macros: readonly Macro[];
}

export interface PreprocessingStep {
  readonly type: string;
  readonly params: string;
  readonly error_handler: string;
  readonly error_handler_params: string;
}

export interface Item {
  readonly itemid: Id;
  readonly hostid: Id;
  readonly name: string;
  readonly key_: string;
  readonly type: string;
  readonly value_type: string;
  readonly units: string;
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  /** 0 enabled, 1 disabled */
  readonly status: string;
  /** 0 supported, 1 not supported */
  readonly state: string;
  readonly error: string;
  readonly description: string;
  readonly interfaceid: Id;
  readonly master_itemid: Id;
  readonly snmp_oid: string;
  /** formula of a calculated item */
  readonly params: string;
  readonly trapper_hosts: string;
  readonly valuemapid: Id;
  /** the item of the template that this one is inherited from; "0" for an own one */
  readonly templateid: Id;
  /** 0 plain, 2 prototype, 4 discovered */
  readonly flags: string;
  readonly tags: readonly Tag[];
  readonly preprocessing: readonly PreprocessingStep[];
}

export interface Trigger {
  readonly triggerid: Id;
  readonly description: string;
  readonly expression: string;
  readonly recovery_expression: string;
  /** 0 expression, 1 recovery expression, 2 none */
  readonly recovery_mode: string;
  readonly priority: string;
  readonly status: string;
  readonly state: string;
  readonly value: string;
  readonly error: string;
  readonly type: string;
  readonly manual_close: string;
  readonly event_name: string;
  readonly opdata: string;
  readonly comments: string;
  readonly url: string;
  readonly templateid: Id;
  readonly flags: string;
  readonly lastchange: string;
  readonly tags: readonly Tag[];
}

export interface DiscoveryRule {
  readonly itemid: Id;
  readonly hostid: Id;
  readonly name: string;
  readonly key_: string;
  readonly type: string;
  readonly delay: string;
  readonly status: string;
  readonly state: string;
  readonly error: string;
  readonly description: string;
  readonly interfaceid: Id;
  readonly master_itemid: Id;
  readonly snmp_oid: string;
  readonly lifetime: string;
  readonly templateid: Id;
  readonly items: string;
  readonly triggers: string;
}

export interface ItemPrototype {
  readonly itemid: Id;
  readonly name: string;
  readonly key_: string;
  readonly type: string;
  readonly value_type: string;
  readonly units: string;
  readonly delay: string;
  readonly status: string;
}

export interface TriggerPrototype {
  readonly triggerid: Id;
  readonly description: string;
  readonly expression: string;
  readonly priority: string;
  readonly status: string;
}

export interface ValueMap {
  readonly valuemapid: Id;
  readonly name: string;
}

export interface EventAcknowledge {
  readonly acknowledgeid: Id;
  readonly userid: Id;
  readonly username?: string | undefined;
  readonly clock: string;
  readonly message: string;
  readonly action: string;
  readonly old_severity: string;
  readonly new_severity: string;
}

export interface ProblemEvent {
  readonly eventid: Id;
  readonly objectid: Id;
  readonly clock: string;
  readonly value: string;
  readonly name: string;
  readonly severity: string;
  readonly acknowledged: string;
  readonly r_eventid: Id;
  readonly acknowledges: readonly EventAcknowledge[];
}

export interface HistoryValue {
  readonly itemid: Id;
  readonly clock: string;
  readonly ns: string;
  readonly value: string;
}

/** `GET /api/v1/overview` and the stream's message of the same name. */
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
  readonly problems_by_severity: readonly {
    readonly severity: number;
    readonly total: number;
    readonly acknowledged: number;
  }[];
  readonly nvps: { readonly t: readonly number[]; readonly v: readonly number[] };
}

/** Buckets of one item: `GET /api/v1/series`. Times in seconds. */
export interface Series {
  readonly itemid: Id;
  readonly t: readonly number[];
  readonly min: readonly (number | null)[];
  readonly avg: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  readonly count: readonly number[];
}

export interface ExpressionCheck {
  readonly ok: boolean;
  readonly error?: { readonly message: string; readonly position: number } | undefined;
}
