// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { ValueMapping, ValueMappingCreate } from "./parts";
import type { User } from "./user";

/** What is kept for how long. There is one, of which get answers the fields themselves. */
export interface Housekeeping {
  /** Old events are deleted. Default: 1. */
  readonly hk_events_mode: string;
  /** For how long events of triggers are kept. Default: 365d. */
  readonly hk_events_trigger: string;
  /** For how long events of services are kept. Default: 1d. */
  readonly hk_events_service: string;
  /** For how long internal events are kept. Default: 1d. */
  readonly hk_events_internal: string;
  /** For how long events of network discovery are kept. Default: 1d. */
  readonly hk_events_discovery: string;
  /** For how long events of autoregistration are kept. Default: 1d. */
  readonly hk_events_autoreg: string;
  /** Kept; there are no services yet. Default: 1. */
  readonly hk_services_mode: string;
  /** Kept; there are no services yet. Default: 365d. */
  readonly hk_services: string;
  /** Old records of the audit log are deleted. Default: 1. */
  readonly hk_audit_mode: string;
  /** For how long records of the audit log are kept. Default: 31d. */
  readonly hk_audit: string;
  /** Sessions that were not used for long are deleted. Default: 1. */
  readonly hk_sessions_mode: string;
  /** For how long sessions are kept after their last use. Default: 365d. */
  readonly hk_sessions: string;
  /** Values past their period are removed. Default: 1. */
  readonly hk_history_mode: string;
  /** `hk_history` counts in place of items' own periods. Default: 0. */
  readonly hk_history_global: string;
  /** For how long values are kept; 0: not at all. Default: 31d. */
  readonly hk_history: string;
  /** Trends past their period are removed. Default: 1. */
  readonly hk_trends_mode: string;
  /** `hk_trends` counts in place of items' own periods. Default: 0. */
  readonly hk_trends_global: string;
  /** For how long trends are kept; 0: not at all. Default: 365d. */
  readonly hk_trends: string;
  /** Always empty: stores of history compress by themselves. */
  readonly db_extension: string;
  /** Kept; stores of history compress by themselves. Default: 0. */
  readonly compression_status: string;
  /** Kept; stores of history compress by themselves. Default: 7d. */
  readonly compress_older: string;
  /** Always 0. */
  readonly compression_availability: string;
}

/** Parameters of `housekeeping.get`. */
export interface HousekeepingGet {
  readonly output?: Output<keyof Housekeeping> | undefined;
}

/** Parameters of `housekeeping.update`: what is left out stays. */
export interface HousekeepingUpdate {
  /** Old events are deleted. Default: 1. */
  readonly hk_events_mode?: string | number | undefined;
  /** For how long events of triggers are kept. Default: 365d. */
  readonly hk_events_trigger?: string | undefined;
  /** For how long events of services are kept. Default: 1d. */
  readonly hk_events_service?: string | undefined;
  /** For how long internal events are kept. Default: 1d. */
  readonly hk_events_internal?: string | undefined;
  /** For how long events of network discovery are kept. Default: 1d. */
  readonly hk_events_discovery?: string | undefined;
  /** For how long events of autoregistration are kept. Default: 1d. */
  readonly hk_events_autoreg?: string | undefined;
  /** Kept; there are no services yet. Default: 1. */
  readonly hk_services_mode?: string | number | undefined;
  /** Kept; there are no services yet. Default: 365d. */
  readonly hk_services?: string | undefined;
  /** Old records of the audit log are deleted. Default: 1. */
  readonly hk_audit_mode?: string | number | undefined;
  /** For how long records of the audit log are kept. Default: 31d. */
  readonly hk_audit?: string | undefined;
  /** Sessions that were not used for long are deleted. Default: 1. */
  readonly hk_sessions_mode?: string | number | undefined;
  /** For how long sessions are kept after their last use. Default: 365d. */
  readonly hk_sessions?: string | undefined;
  /** Values past their period are removed. Default: 1. */
  readonly hk_history_mode?: string | number | undefined;
  /** `hk_history` counts in place of items' own periods. Default: 0. */
  readonly hk_history_global?: string | number | undefined;
  /** For how long values are kept; 0: not at all. Default: 31d. */
  readonly hk_history?: string | undefined;
  /** Trends past their period are removed. Default: 1. */
  readonly hk_trends_mode?: string | number | undefined;
  /** `hk_trends` counts in place of items' own periods. Default: 0. */
  readonly hk_trends_global?: string | number | undefined;
  /** For how long trends are kept; 0: not at all. Default: 365d. */
  readonly hk_trends?: string | undefined;
  /** Kept; stores of history compress by themselves. Default: 0. */
  readonly compression_status?: string | number | undefined;
  /** Kept; stores of history compress by themselves. Default: 7d. */
  readonly compress_older?: string | undefined;
}

/** Which icon stands for a host, by its inventory. */
export interface IconMap {
  /** Id. */
  readonly iconmapid: string;
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string;
}

/** What `select…` parameters add. */
export interface IconMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string;
  }[];
}

/** Parameters of `iconmap.get`. */
export interface IconMapGet extends GetParams<keyof IconMap> {
  readonly selectMappings?: Output<string> | undefined;
}

/** Parameters of `iconmap.create`. */
export interface IconMapCreate {
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string | number;
  /** The first that matches counts. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string | number;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string | number;
  }[];
}

/** Parameters of `iconmap.update`: what is left out stays. */
export type IconMapUpdate = Partial<IconMapCreate> & { readonly iconmapid: string };

/** An icon or a background of maps. */
export interface Image {
  /** Id. */
  readonly imageid: string;
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** What `select…` parameters add. */
export interface ImageSelects {
  /** `select_image`. */
  readonly image: string;
}

/** Parameters of `image.get`. */
export interface ImageGet extends GetParams<keyof Image> {
  readonly select_image?: boolean | undefined;
}

/** Parameters of `image.create`. */
export interface ImageCreate {
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string | number;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** Parameters of `image.update`: what is left out stays. */
export type ImageUpdate = Partial<Omit<ImageCreate, "imagetype">> & { readonly imageid: string };

/** A global regular expression: conditions on a text under one name. */
export interface Regexp {
  /** Id. */
  readonly regexpid: string;
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string: string;
}

/** What `select…` parameters add. */
export interface RegexpSelects {
  /** `selectExpressions`. */
  readonly expressions: readonly {
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string;
    /** Between the texts of type 1: comma, dot or slash. Default: ,. */
    readonly exp_delimiter: string;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive: string;
  }[];
}

/** Parameters of `regexp.get`. */
export interface RegexpGet extends GetParams<keyof Regexp> {
  readonly selectExpressions?: Output<string> | undefined;
}

/** Parameters of `regexp.create`. */
export interface RegexpCreate {
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string?: string | undefined;
  /** All have to hold. */
  readonly expressions: readonly {
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string | number;
    /** Between the texts of type 1: comma, dot or slash. Default: ,. */
    readonly exp_delimiter?: string | undefined;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive?: string | number | undefined;
  }[];
}

/** Parameters of `regexp.update`: what is left out stays. */
export type RegexpUpdate = Partial<RegexpCreate> & { readonly regexpid: string };

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
    /** Only 1 yet. Default: 1. */
    readonly "services.read.mode": string;
    /** Has no effect. Default: 0. */
    readonly "services.write.mode": string;
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
    /** Only 1 yet. Default: 1. */
    readonly "services.read.mode"?: string | number | undefined;
    /** Has no effect. Default: 0. */
    readonly "services.write.mode"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "modules.default_access"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "actions.default_access"?: string | number | undefined;
  } | undefined;
}

/** Parameters of `role.update`: what is left out stays. */
export type RoleUpdate = Partial<RoleCreate> & { readonly roleid: string };

/** General settings. There is one, of which get answers the fields themselves. */
export interface Settings {
  /** Kept; the pages speak English. Default: en_US. */
  readonly default_lang: string;
  /** Time zone of users who have none of their own. Default: system. */
  readonly default_timezone: string;
  /** Theme of users who have none of their own. Default: blue-theme. */
  readonly default_theme: string;
  /** Kept; lists are read as they are scrolled. Default: 1000. */
  readonly search_limit: string;
  /** Kept; without effect. Default: 50. */
  readonly max_overview_table_size: string;
  /** Kept; cells show what has room. Default: 50. */
  readonly max_in_table: string;
  /** Kept; without effect. Default: 10. */
  readonly server_check_interval: string;
  /** Kept; graphs do not shade hours of work. Default: 1-5,09:00-18:00. */
  readonly work_period: string;
  /** Kept; without effect. Default: 0. */
  readonly show_technical_errors: string;
  /** Kept; the newest value is shown however old it is. Default: 24h. */
  readonly history_period: string;
  /** The range of time that graphs and histories begin with. Default: 1h. */
  readonly period_default: string;
  /** The longest range of time that may be chosen. Default: 2y. */
  readonly max_period: string;
  /** Of agent items that have none of their own. Default: 3s. */
  readonly timeout_zabbix_agent: string;
  /** Of simple checks that have none of their own. Default: 3s. */
  readonly timeout_simple_check: string;
  /** Of SNMP items that have none of their own. Default: 3s. */
  readonly timeout_snmp_agent: string;
  /** Of external checks. Default: 3s. */
  readonly timeout_external_check: string;
  /** Of database monitors. Default: 3s. */
  readonly timeout_db_monitor: string;
  /** Of HTTP items that have none of their own. Default: 3s. */
  readonly timeout_http_agent: string;
  /** Of SSH items. Default: 3s. */
  readonly timeout_ssh_agent: string;
  /** Of telnet items. Default: 3s. */
  readonly timeout_telnet_agent: string;
  /** Of script items that have none of their own. Default: 3s. */
  readonly timeout_script: string;
  /** Of browser items. Default: 60s. */
  readonly timeout_browser: string;
  /** Kept; without effect. Default: 3s. */
  readonly socket_timeout: string;
  /** Kept; without effect. Default: 3s. */
  readonly connect_timeout: string;
  /** Kept; without effect. Default: 65s. */
  readonly media_type_test_timeout: string;
  /** Kept; without effect. Default: 60s. */
  readonly script_timeout: string;
  /** Kept; without effect. Default: 60s. */
  readonly item_test_timeout: string;
  /** Kept; without effect. Default: 60s. */
  readonly report_test_timeout: string;
  /** Kept; without effect. Default: 0. */
  readonly custom_color: string;
  /** Kept; without effect. Default: CC0000. */
  readonly problem_unack_color: string;
  /** Kept; without effect. Default: 1. */
  readonly problem_unack_style: string;
  /** Kept; without effect. Default: CC0000. */
  readonly problem_ack_color: string;
  /** Kept; without effect. Default: 1. */
  readonly problem_ack_style: string;
  /** Kept; without effect. Default: 009900. */
  readonly ok_unack_color: string;
  /** Kept; without effect. Default: 1. */
  readonly ok_unack_style: string;
  /** Kept; without effect. Default: 009900. */
  readonly ok_ack_color: string;
  /** Kept; without effect. Default: 1. */
  readonly ok_ack_style: string;
  /** For how long resolved problems count as recent. Default: 5m. */
  readonly ok_period: string;
  /** Kept; nothing blinks. Default: 2m. */
  readonly blink_period: string;
  /** Name of severity 0. Default: Not classified. */
  readonly severity_name_0: string;
  /** Color of severity 0. Default: 97AAB3. */
  readonly severity_color_0: string;
  /** Name of severity 1. Default: Information. */
  readonly severity_name_1: string;
  /** Color of severity 1. Default: 7499FF. */
  readonly severity_color_1: string;
  /** Name of severity 2. Default: Warning. */
  readonly severity_name_2: string;
  /** Color of severity 2. Default: FFC859. */
  readonly severity_color_2: string;
  /** Name of severity 3. Default: Average. */
  readonly severity_name_3: string;
  /** Color of severity 3. Default: FFA059. */
  readonly severity_color_3: string;
  /** Name of severity 4. Default: High. */
  readonly severity_name_4: string;
  /** Color of severity 4. Default: E97659. */
  readonly severity_color_4: string;
  /** Name of severity 5. Default: Disaster. */
  readonly severity_name_5: string;
  /** Color of severity 5. Default: E45959. */
  readonly severity_color_5: string;
  /** Kept; there are no geomaps yet. Default: OpenStreetMap.Mapnik. */
  readonly geomaps_tile_provider: string;
  /** Kept; there are no geomaps yet. */
  readonly geomaps_tile_url: string;
  /** Kept; there are no geomaps yet. */
  readonly geomaps_attribution: string;
  /** Kept; there are no geomaps yet. Default: 0. */
  readonly geomaps_max_zoom: string;
  /** Kept; for links in messages, when there are any. */
  readonly url: string;
  /** Kept; for hosts that network discovery finds. Default: 5. */
  readonly discovery_groupid: string;
  /** Inventory mode of hosts that are made without saying one. Default: -1. */
  readonly default_inventory_mode: string;
  /** Kept; nobody is told of a database that is away. Default: 7. */
  readonly alert_usrgrpid: string;
  /** Kept; there is no listener for SNMP traps yet. Default: 1. */
  readonly snmptrap_logging: string;
  /** Failed logins after which one has to wait. Default: 5. */
  readonly login_attempts: string;
  /** For how long one has to wait after failed logins. Default: 30s. */
  readonly login_block: string;
  /** Kept; secrets of vaults are not read yet. Default: 0. */
  readonly vault_provider: string;
  /** Links may have only the schemes below. Default: 1. */
  readonly validate_uri_schemes: string;
  /** Schemes that links may have. Default: http,https,ftp,file,mailto,tel,ssh. */
  readonly uri_valid_schemes: string;
  /** Kept; pages are never shown in frames. Default: SAMEORIGIN. */
  readonly x_frame_options: string;
  /** Kept; without effect. Default: 1. */
  readonly iframe_sandboxing_enabled: string;
  /** Kept; without effect. */
  readonly iframe_sandboxing_exceptions: string;
  /** Changes and logins are written to the audit log. Default: 1. */
  readonly auditlog_enabled: string;
  /** Kept; what the server does by itself is not logged. Default: 1. */
  readonly auditlog_mode: string;
  /** Always 1m; there is no second node. */
  readonly ha_failover_delay: string;
}

/** Parameters of `settings.get`. */
export interface SettingsGet {
  readonly output?: Output<keyof Settings> | undefined;
}

/** Parameters of `settings.update`: what is left out stays. */
export interface SettingsUpdate {
  /** Kept; the pages speak English. Default: en_US. */
  readonly default_lang?: string | undefined;
  /** Time zone of users who have none of their own. Default: system. */
  readonly default_timezone?: string | undefined;
  /** Theme of users who have none of their own. Default: blue-theme. */
  readonly default_theme?: string | undefined;
  /** Kept; lists are read as they are scrolled. Default: 1000. */
  readonly search_limit?: string | number | undefined;
  /** Kept; without effect. Default: 50. */
  readonly max_overview_table_size?: string | number | undefined;
  /** Kept; cells show what has room. Default: 50. */
  readonly max_in_table?: string | number | undefined;
  /** Kept; without effect. Default: 10. */
  readonly server_check_interval?: string | number | undefined;
  /** Kept; graphs do not shade hours of work. Default: 1-5,09:00-18:00. */
  readonly work_period?: string | undefined;
  /** Kept; without effect. Default: 0. */
  readonly show_technical_errors?: string | number | undefined;
  /** Kept; the newest value is shown however old it is. Default: 24h. */
  readonly history_period?: string | undefined;
  /** The range of time that graphs and histories begin with. Default: 1h. */
  readonly period_default?: string | undefined;
  /** The longest range of time that may be chosen. Default: 2y. */
  readonly max_period?: string | undefined;
  /** Of agent items that have none of their own. Default: 3s. */
  readonly timeout_zabbix_agent?: string | undefined;
  /** Of simple checks that have none of their own. Default: 3s. */
  readonly timeout_simple_check?: string | undefined;
  /** Of SNMP items that have none of their own. Default: 3s. */
  readonly timeout_snmp_agent?: string | undefined;
  /** Of external checks. Default: 3s. */
  readonly timeout_external_check?: string | undefined;
  /** Of database monitors. Default: 3s. */
  readonly timeout_db_monitor?: string | undefined;
  /** Of HTTP items that have none of their own. Default: 3s. */
  readonly timeout_http_agent?: string | undefined;
  /** Of SSH items. Default: 3s. */
  readonly timeout_ssh_agent?: string | undefined;
  /** Of telnet items. Default: 3s. */
  readonly timeout_telnet_agent?: string | undefined;
  /** Of script items that have none of their own. Default: 3s. */
  readonly timeout_script?: string | undefined;
  /** Of browser items. Default: 60s. */
  readonly timeout_browser?: string | undefined;
  /** Kept; without effect. Default: 3s. */
  readonly socket_timeout?: string | undefined;
  /** Kept; without effect. Default: 3s. */
  readonly connect_timeout?: string | undefined;
  /** Kept; without effect. Default: 65s. */
  readonly media_type_test_timeout?: string | undefined;
  /** Kept; without effect. Default: 60s. */
  readonly script_timeout?: string | undefined;
  /** Kept; without effect. Default: 60s. */
  readonly item_test_timeout?: string | undefined;
  /** Kept; without effect. Default: 60s. */
  readonly report_test_timeout?: string | undefined;
  /** Kept; without effect. Default: 0. */
  readonly custom_color?: string | number | undefined;
  /** Kept; without effect. Default: CC0000. */
  readonly problem_unack_color?: string | undefined;
  /** Kept; without effect. Default: 1. */
  readonly problem_unack_style?: string | number | undefined;
  /** Kept; without effect. Default: CC0000. */
  readonly problem_ack_color?: string | undefined;
  /** Kept; without effect. Default: 1. */
  readonly problem_ack_style?: string | number | undefined;
  /** Kept; without effect. Default: 009900. */
  readonly ok_unack_color?: string | undefined;
  /** Kept; without effect. Default: 1. */
  readonly ok_unack_style?: string | number | undefined;
  /** Kept; without effect. Default: 009900. */
  readonly ok_ack_color?: string | undefined;
  /** Kept; without effect. Default: 1. */
  readonly ok_ack_style?: string | number | undefined;
  /** For how long resolved problems count as recent. Default: 5m. */
  readonly ok_period?: string | undefined;
  /** Kept; nothing blinks. Default: 2m. */
  readonly blink_period?: string | undefined;
  /** Name of severity 0. Default: Not classified. */
  readonly severity_name_0?: string | undefined;
  /** Color of severity 0. Default: 97AAB3. */
  readonly severity_color_0?: string | undefined;
  /** Name of severity 1. Default: Information. */
  readonly severity_name_1?: string | undefined;
  /** Color of severity 1. Default: 7499FF. */
  readonly severity_color_1?: string | undefined;
  /** Name of severity 2. Default: Warning. */
  readonly severity_name_2?: string | undefined;
  /** Color of severity 2. Default: FFC859. */
  readonly severity_color_2?: string | undefined;
  /** Name of severity 3. Default: Average. */
  readonly severity_name_3?: string | undefined;
  /** Color of severity 3. Default: FFA059. */
  readonly severity_color_3?: string | undefined;
  /** Name of severity 4. Default: High. */
  readonly severity_name_4?: string | undefined;
  /** Color of severity 4. Default: E97659. */
  readonly severity_color_4?: string | undefined;
  /** Name of severity 5. Default: Disaster. */
  readonly severity_name_5?: string | undefined;
  /** Color of severity 5. Default: E45959. */
  readonly severity_color_5?: string | undefined;
  /** Kept; there are no geomaps yet. Default: OpenStreetMap.Mapnik. */
  readonly geomaps_tile_provider?: string | undefined;
  /** Kept; there are no geomaps yet. */
  readonly geomaps_tile_url?: string | undefined;
  /** Kept; there are no geomaps yet. */
  readonly geomaps_attribution?: string | undefined;
  /** Kept; there are no geomaps yet. Default: 0. */
  readonly geomaps_max_zoom?: string | number | undefined;
  /** Kept; for links in messages, when there are any. */
  readonly url?: string | undefined;
  /** Kept; for hosts that network discovery finds. Default: 5. */
  readonly discovery_groupid?: string | number | undefined;
  /** Inventory mode of hosts that are made without saying one. Default: -1. */
  readonly default_inventory_mode?: string | number | undefined;
  /** Kept; nobody is told of a database that is away. Default: 7. */
  readonly alert_usrgrpid?: string | number | undefined;
  /** Kept; there is no listener for SNMP traps yet. Default: 1. */
  readonly snmptrap_logging?: string | number | undefined;
  /** Failed logins after which one has to wait. Default: 5. */
  readonly login_attempts?: string | number | undefined;
  /** For how long one has to wait after failed logins. Default: 30s. */
  readonly login_block?: string | undefined;
  /** Kept; secrets of vaults are not read yet. Default: 0. */
  readonly vault_provider?: string | number | undefined;
  /** Links may have only the schemes below. Default: 1. */
  readonly validate_uri_schemes?: string | number | undefined;
  /** Schemes that links may have. Default: http,https,ftp,file,mailto,tel,ssh. */
  readonly uri_valid_schemes?: string | undefined;
  /** Kept; pages are never shown in frames. Default: SAMEORIGIN. */
  readonly x_frame_options?: string | undefined;
  /** Kept; without effect. Default: 1. */
  readonly iframe_sandboxing_enabled?: string | number | undefined;
  /** Kept; without effect. */
  readonly iframe_sandboxing_exceptions?: string | undefined;
  /** Changes and logins are written to the audit log. Default: 1. */
  readonly auditlog_enabled?: string | number | undefined;
  /** Kept; what the server does by itself is not logged. Default: 1. */
  readonly auditlog_mode?: string | number | undefined;
}

/** Names for values. */
export interface ValueMap {
  /** Id. */
  readonly valuemapid: string;
  /** Identity in exports. */
  readonly uuid: string;
  /** Name. */
  readonly name: string;
  /** Host or template. Not changed later. */
  readonly hostid: string;
}

/** What `select…` parameters add. */
export interface ValueMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly ValueMapping[];
}

/** Parameters of `valuemap.get`. */
export interface ValueMapGet extends GetParams<keyof ValueMap> {
  readonly selectMappings?: Output<keyof ValueMapping> | undefined;
}

/** Parameters of `valuemap.create`. */
export interface ValueMapCreate {
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** Name. */
  readonly name: string;
  /** Host or template. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** The first that fits counts. */
  readonly mappings: readonly ValueMappingCreate[];
}

/** Parameters of `valuemap.update`: what is left out stays. */
export type ValueMapUpdate = Partial<Omit<ValueMapCreate, "hostid">> & { readonly valuemapid: string };

/** Their methods. */
export interface DocumentMethods {
  readonly "housekeeping.get": {
    readonly params: HousekeepingGet;
    readonly result: Partial<Housekeeping>;
  };
  readonly "housekeeping.update": {
    readonly params: HousekeepingUpdate;
    readonly result: readonly string[];
  };
  readonly "iconmap.get": {
    readonly params: IconMapGet;
    readonly result: readonly (Partial<IconMap> & Partial<IconMapSelects>)[];
  };
  readonly "iconmap.create": {
    readonly params: IconMapCreate | readonly IconMapCreate[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "iconmap.update": {
    readonly params: IconMapUpdate | readonly IconMapUpdate[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "iconmap.delete": {
    readonly params: readonly string[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "image.get": {
    readonly params: ImageGet;
    readonly result: readonly (Partial<Image> & Partial<ImageSelects>)[];
  };
  readonly "image.create": {
    readonly params: ImageCreate | readonly ImageCreate[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "image.update": {
    readonly params: ImageUpdate | readonly ImageUpdate[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "image.delete": {
    readonly params: readonly string[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "regexp.get": {
    readonly params: RegexpGet;
    readonly result: readonly (Partial<Regexp> & Partial<RegexpSelects>)[];
  };
  readonly "regexp.create": {
    readonly params: RegexpCreate | readonly RegexpCreate[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "regexp.update": {
    readonly params: RegexpUpdate | readonly RegexpUpdate[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "regexp.delete": {
    readonly params: readonly string[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "role.get": {
    readonly params: RoleGet;
    readonly result: readonly (Partial<Role> & Partial<RoleSelects>)[];
  };
  readonly "role.create": {
    readonly params: RoleCreate | readonly RoleCreate[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "role.update": {
    readonly params: RoleUpdate | readonly RoleUpdate[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "role.delete": {
    readonly params: readonly string[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "settings.get": {
    readonly params: SettingsGet;
    readonly result: Partial<Settings>;
  };
  readonly "settings.update": {
    readonly params: SettingsUpdate;
    readonly result: readonly string[];
  };
  readonly "valuemap.get": {
    readonly params: ValueMapGet;
    readonly result: readonly (Partial<ValueMap> & Partial<ValueMapSelects>)[];
  };
  readonly "valuemap.create": {
    readonly params: ValueMapCreate | readonly ValueMapCreate[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
  readonly "valuemap.update": {
    readonly params: ValueMapUpdate | readonly ValueMapUpdate[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
  readonly "valuemap.delete": {
    readonly params: readonly string[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
}
