// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Output } from "./get";

/** General settings. There is one, of which get answers the fields themselves. */
export interface Settings {
  /** Of the pages for users who chose none. Default: en_US. */
  readonly default_lang: string;
  /** Kept; pages show times in the browser's zone. Default: system. */
  readonly default_timezone: string;
  /** Kept; users choose dark or light in their browser. Default: blue-theme. */
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
  /** Kept; pages begin with an hour. Default: 1h. */
  readonly period_default: string;
  /** Kept; any range may be chosen. Default: 2y. */
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
  /** Kept; the color of severity 0. Default: 97AAB3. */
  readonly severity_color_0: string;
  /** Name of severity 1. Default: Information. */
  readonly severity_name_1: string;
  /** Kept; the color of severity 1. Default: 7499FF. */
  readonly severity_color_1: string;
  /** Name of severity 2. Default: Warning. */
  readonly severity_name_2: string;
  /** Kept; the color of severity 2. Default: FFC859. */
  readonly severity_color_2: string;
  /** Name of severity 3. Default: Average. */
  readonly severity_name_3: string;
  /** Kept; the color of severity 3. Default: FFA059. */
  readonly severity_color_3: string;
  /** Name of severity 4. Default: High. */
  readonly severity_name_4: string;
  /** Kept; the color of severity 4. Default: E97659. */
  readonly severity_color_4: string;
  /** Name of severity 5. Default: Disaster. */
  readonly severity_name_5: string;
  /** Kept; the color of severity 5. Default: E45959. */
  readonly severity_color_5: string;
  /** Empty where tiles have an address; others are not asked. Default: OpenStreetMap.Mapnik. */
  readonly geomaps_tile_provider: string;
  /** Address of the tiles of geographical maps. */
  readonly geomaps_tile_url: string;
  /** Whose tiles they are. */
  readonly geomaps_attribution: string;
  /** Largest zoom of tiles; 0 for 18. Default: 0. */
  readonly geomaps_max_zoom: string;
  /** Where browsers reach the server: links in messages begin with it. */
  readonly url: string;
  /** Kept; for hosts that network discovery finds. Default: 5. */
  readonly discovery_groupid: string;
  /** Inventory mode of hosts that are made without saying one. Default: -1. */
  readonly default_inventory_mode: string;
  /** Kept; nobody is notified of a database that is away. Default: 7. */
  readonly alert_usrgrpid: string;
  /** SNMP traps that no item takes are logged. Default: 1. */
  readonly snmptrap_logging: string;
  /** Failed logins after which one has to wait. Default: 5. */
  readonly login_attempts: string;
  /** For how long one has to wait after failed logins. Default: 30s. */
  readonly login_block: string;
  /** How values of vault macros are checked: 0 HashiCorp, 1 CyberArk. Secrets are read from HashiCorp's. Default: 0. */
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
  /** What the server does by itself is written to it as well: discovery and operations of actions. Default: 1. */
  readonly auditlog_mode: string;
  /** Saker's own: a trigger that changes so often within the period below is flapping, and its problems send nothing; 0: never. Default: 0. */
  readonly flapping_changes: string;
  /** Saker's own: see above; 1m to 30m. Default: 10m. */
  readonly flapping_period: string;
  /** Saker's own: so many messages to one recipient within the period below are a storm, and what follows is put together into digests; 0: never. Default: 0. */
  readonly digest_messages: string;
  /** Saker's own: see above; 10s to 1h. Default: 5m. */
  readonly digest_period: string;
  /** Saker's own: between two digests; 10s to 1d. Default: 10m. */
  readonly digest_interval: string;
  /** Always 1m; there is no second node. */
  readonly ha_failover_delay: string;
}

/** Parameters of `settings.get`. */
export interface SettingsGet {
  readonly output?: Output<keyof Settings> | undefined;
}

/** Parameters of `settings.update`: omitted fields keep their values. */
export interface SettingsUpdate {
  /** Of the pages for users who chose none. Default: en_US. */
  readonly default_lang?: string | undefined;
  /** Kept; pages show times in the browser's zone. Default: system. */
  readonly default_timezone?: string | undefined;
  /** Kept; users choose dark or light in their browser. Default: blue-theme. */
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
  /** Kept; pages begin with an hour. Default: 1h. */
  readonly period_default?: string | undefined;
  /** Kept; any range may be chosen. Default: 2y. */
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
  /** Kept; the color of severity 0. Default: 97AAB3. */
  readonly severity_color_0?: string | undefined;
  /** Name of severity 1. Default: Information. */
  readonly severity_name_1?: string | undefined;
  /** Kept; the color of severity 1. Default: 7499FF. */
  readonly severity_color_1?: string | undefined;
  /** Name of severity 2. Default: Warning. */
  readonly severity_name_2?: string | undefined;
  /** Kept; the color of severity 2. Default: FFC859. */
  readonly severity_color_2?: string | undefined;
  /** Name of severity 3. Default: Average. */
  readonly severity_name_3?: string | undefined;
  /** Kept; the color of severity 3. Default: FFA059. */
  readonly severity_color_3?: string | undefined;
  /** Name of severity 4. Default: High. */
  readonly severity_name_4?: string | undefined;
  /** Kept; the color of severity 4. Default: E97659. */
  readonly severity_color_4?: string | undefined;
  /** Name of severity 5. Default: Disaster. */
  readonly severity_name_5?: string | undefined;
  /** Kept; the color of severity 5. Default: E45959. */
  readonly severity_color_5?: string | undefined;
  /** Empty where tiles have an address; others are not asked. Default: OpenStreetMap.Mapnik. */
  readonly geomaps_tile_provider?: string | undefined;
  /** Address of the tiles of geographical maps. */
  readonly geomaps_tile_url?: string | undefined;
  /** Whose tiles they are. */
  readonly geomaps_attribution?: string | undefined;
  /** Largest zoom of tiles; 0 for 18. Default: 0. */
  readonly geomaps_max_zoom?: string | number | undefined;
  /** Where browsers reach the server: links in messages begin with it. */
  readonly url?: string | undefined;
  /** Kept; for hosts that network discovery finds. Default: 5. */
  readonly discovery_groupid?: string | number | undefined;
  /** Inventory mode of hosts that are made without saying one. Default: -1. */
  readonly default_inventory_mode?: string | number | undefined;
  /** Kept; nobody is notified of a database that is away. Default: 7. */
  readonly alert_usrgrpid?: string | number | undefined;
  /** SNMP traps that no item takes are logged. Default: 1. */
  readonly snmptrap_logging?: string | number | undefined;
  /** Failed logins after which one has to wait. Default: 5. */
  readonly login_attempts?: string | number | undefined;
  /** For how long one has to wait after failed logins. Default: 30s. */
  readonly login_block?: string | undefined;
  /** How values of vault macros are checked: 0 HashiCorp, 1 CyberArk. Secrets are read from HashiCorp's. Default: 0. */
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
  /** What the server does by itself is written to it as well: discovery and operations of actions. Default: 1. */
  readonly auditlog_mode?: string | number | undefined;
  /** Saker's own: a trigger that changes so often within the period below is flapping, and its problems send nothing; 0: never. Default: 0. */
  readonly flapping_changes?: string | number | undefined;
  /** Saker's own: see above; 1m to 30m. Default: 10m. */
  readonly flapping_period?: string | undefined;
  /** Saker's own: so many messages to one recipient within the period below are a storm, and what follows is put together into digests; 0: never. Default: 0. */
  readonly digest_messages?: string | number | undefined;
  /** Saker's own: see above; 10s to 1h. Default: 5m. */
  readonly digest_period?: string | undefined;
  /** Saker's own: between two digests; 10s to 1d. Default: 10m. */
  readonly digest_interval?: string | undefined;
}

/** What forms and readers of answers have to know of it. */
export const SETTINGS = {
  object: "settings",
  fields: {
    default_lang: { type: "text", max: 5, default: "en_US" },
    default_timezone: { type: "text", max: 50, default: "system", form: "time-zone" },
    default_theme: { type: "text", max: 128, default: "blue-theme" },
    search_limit: { type: "int", min: 1, max: 999999, default: "1000" },
    max_overview_table_size: { type: "int", min: 5, max: 999999, default: "50" },
    max_in_table: { type: "int", min: 1, max: 99999, default: "50" },
    server_check_interval: { type: "code", codes: ["0", "10"], default: "10" },
    work_period: { type: "text", max: 255, default: "1-5,09:00-18:00", form: "times-of-week" },
    show_technical_errors: { type: "code", codes: ["0", "1"], default: "0" },
    history_period: {
      type: "text",
      max: 32,
      default: "24h",
      form: "period",
      within: [86400, 604800],
    },
    period_default: {
      type: "text",
      max: 32,
      default: "1h",
      form: "long-period",
      within: [60, 315360000],
    },
    max_period: {
      type: "text",
      max: 32,
      default: "2y",
      form: "long-period",
      within: [31536000, 315360000],
    },
    timeout_zabbix_agent: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_simple_check: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_snmp_agent: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_external_check: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_db_monitor: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_http_agent: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_ssh_agent: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_telnet_agent: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_script: {
      type: "text",
      max: 255,
      default: "3s",
      form: "period-or-macro",
      within: [1, 600],
    },
    timeout_browser: {
      type: "text",
      max: 255,
      default: "60s",
      form: "period-or-macro",
      within: [1, 600],
    },
    socket_timeout: { type: "text", max: 32, default: "3s", form: "period", within: [1, 300] },
    connect_timeout: { type: "text", max: 32, default: "3s", form: "period", within: [1, 30] },
    media_type_test_timeout: {
      type: "text",
      max: 32,
      default: "65s",
      form: "period",
      within: [1, 300],
    },
    script_timeout: { type: "text", max: 32, default: "60s", form: "period", within: [1, 300] },
    item_test_timeout: { type: "text", max: 32, default: "60s", form: "period", within: [1, 600] },
    report_test_timeout: {
      type: "text",
      max: 32,
      default: "60s",
      form: "period",
      within: [1, 300],
    },
    custom_color: { type: "code", codes: ["0", "1"], default: "0" },
    problem_unack_color: { type: "text", max: 6, default: "CC0000", form: "color" },
    problem_unack_style: { type: "code", codes: ["0", "1"], default: "1" },
    problem_ack_color: { type: "text", max: 6, default: "CC0000", form: "color" },
    problem_ack_style: { type: "code", codes: ["0", "1"], default: "1" },
    ok_unack_color: { type: "text", max: 6, default: "009900", form: "color" },
    ok_unack_style: { type: "code", codes: ["0", "1"], default: "1" },
    ok_ack_color: { type: "text", max: 6, default: "009900", form: "color" },
    ok_ack_style: { type: "code", codes: ["0", "1"], default: "1" },
    ok_period: { type: "text", max: 32, default: "5m", form: "period", within: [0, 86400] },
    blink_period: { type: "text", max: 32, default: "2m", form: "period", within: [0, 86400] },
    severity_name_0: { type: "text", max: 32, default: "Not classified" },
    severity_color_0: { type: "text", max: 6, default: "97AAB3", form: "color" },
    severity_name_1: { type: "text", max: 32, default: "Information" },
    severity_color_1: { type: "text", max: 6, default: "7499FF", form: "color" },
    severity_name_2: { type: "text", max: 32, default: "Warning" },
    severity_color_2: { type: "text", max: 6, default: "FFC859", form: "color" },
    severity_name_3: { type: "text", max: 32, default: "Average" },
    severity_color_3: { type: "text", max: 6, default: "FFA059", form: "color" },
    severity_name_4: { type: "text", max: 32, default: "High" },
    severity_color_4: { type: "text", max: 6, default: "E97659", form: "color" },
    severity_name_5: { type: "text", max: 32, default: "Disaster" },
    severity_color_5: { type: "text", max: 6, default: "E45959", form: "color" },
    geomaps_tile_provider: { type: "text", max: 255, default: "OpenStreetMap.Mapnik" },
    geomaps_tile_url: { type: "text", max: 2048 },
    geomaps_attribution: { type: "text", max: 1024 },
    geomaps_max_zoom: { type: "int", min: 0, max: 30, default: "0" },
    url: { type: "text", max: 2048 },
    discovery_groupid: { type: "id", default: "5" },
    default_inventory_mode: { type: "code", codes: ["-1", "0", "1"], default: "-1" },
    alert_usrgrpid: { type: "id", default: "7" },
    snmptrap_logging: { type: "code", codes: ["0", "1"], default: "1" },
    login_attempts: { type: "int", min: 1, max: 32, default: "5" },
    login_block: { type: "text", max: 32, default: "30s", form: "period", within: [30, 3600] },
    vault_provider: { type: "code", codes: ["0", "1"], default: "0" },
    validate_uri_schemes: { type: "code", codes: ["0", "1"], default: "1" },
    uri_valid_schemes: { type: "text", max: 255, default: "http,https,ftp,file,mailto,tel,ssh" },
    x_frame_options: { type: "text", max: 255, default: "SAMEORIGIN" },
    iframe_sandboxing_enabled: { type: "code", codes: ["0", "1"], default: "1" },
    iframe_sandboxing_exceptions: { type: "text", max: 255 },
    auditlog_enabled: { type: "code", codes: ["0", "1"], default: "1" },
    auditlog_mode: { type: "code", codes: ["0", "1"], default: "1" },
    flapping_changes: { type: "int", min: 0, max: 100, default: "0" },
    flapping_period: { type: "text", max: 32, default: "10m", form: "period", within: [60, 1800] },
    digest_messages: { type: "int", min: 0, max: 1000, default: "0" },
    digest_period: { type: "text", max: 32, default: "5m", form: "period", within: [10, 3600] },
    digest_interval: {
      type: "text",
      max: 32,
      default: "10m",
      form: "period",
      within: [10, 86400],
    },
    ha_failover_delay: { type: "text", max: 32, readOnly: true },
  },
} as const;
