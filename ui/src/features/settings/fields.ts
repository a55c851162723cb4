// Fields of general settings and of housekeeping that have an effect, in groups as Zabbix has them.

import type { SettingsKind, SettingsValues } from "@/api/settings";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";

export interface SettingsField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "switch" | "choice";
  /** has a line of its own: what is written there may be long */
  readonly isWide?: boolean;
  readonly hint?: string;
  /** another field: unless it has the value, 1 of a switch, this one does nothing */
  readonly under?: string;
  readonly underValue?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

export interface SettingsGroup {
  readonly title: string;
  readonly hint: string;
  readonly fields: readonly SettingsField[];
}

function text(name: string, label: string, more: Partial<SettingsField> = {}): SettingsField {
  return { name, label, kind: "text", ...more };
}

function toggle(name: string, label: string): SettingsField {
  return { name, label, kind: "switch" };
}

// of Zabbix; kept, and not asked
const PROVIDERS = [
  "OpenTopoMap",
  "Stamen.TonerLite",
  "Stamen.Terrain",
  "USGS.USTopo",
  "USGS.USImagery",
] as const;

// a provider of one's own
const TILED = { under: "geomaps_tile_provider", underValue: "" } as const;

const PERIODS = t("Periods such as 31d or 12h.");

const HOUSEKEEPING: readonly SettingsGroup[] = [
  {
    title: t("Events and alerts"),
    hint: t(
      "Resolved problems older than the period are deleted with their events. Open problems are kept.",
    ),
    fields: [
      toggle("hk_events_mode", t("Delete old events")),
      text("hk_events_trigger", t("Trigger data storage period"), { under: "hk_events_mode" }),
      text("hk_events_service", t("Service data storage period"), { under: "hk_events_mode" }),
      text("hk_events_internal", t("Internal data storage period"), { under: "hk_events_mode" }),
      text("hk_events_discovery", t("Network discovery data storage period"), {
        under: "hk_events_mode",
      }),
      text("hk_events_autoreg", t("Autoregistration data storage period"), {
        under: "hk_events_mode",
      }),
    ],
  },
  {
    title: t("User sessions"),
    hint: t("The period is counted from the last use."),
    fields: [
      toggle("hk_sessions_mode", t("Delete old sessions")),
      text("hk_sessions", t("Session data storage period"), { under: "hk_sessions_mode" }),
    ],
  },
  {
    title: t("Audit log"),
    hint: PERIODS,
    fields: [
      toggle("hk_audit_mode", t("Delete old audit records")),
      text("hk_audit", t("Audit data storage period"), { under: "hk_audit_mode" }),
    ],
  },
  {
    title: t("History"),
    hint: t(
      "Rounded up to 1, 7, 31, 90 or 365 days or forever. A changed period applies to values received after the change.",
    ),
    fields: [
      toggle("hk_history_mode", t("Delete old values")),
      toggle("hk_history_global", t("Override item history period")),
      text("hk_history", t("History storage period"), { under: "hk_history_global" }),
    ],
  },
  {
    title: t("Trends"),
    hint: t("The same rules as for history."),
    fields: [
      toggle("hk_trends_mode", t("Delete old trends")),
      toggle("hk_trends_global", t("Override item trend period")),
      text("hk_trends", t("Trend storage period"), { under: "hk_trends_global" }),
    ],
  },
];

const GENERAL: readonly SettingsGroup[] = [
  {
    title: t("Trigger displaying options"),
    hint: t("Severity names and the time for which resolved problems are recent."),
    fields: [
      ...SEVERITIES.map((it) => text(`severity_name_${it}`, severityName(it))),
      text("ok_period", t("Display OK triggers for")),
    ],
  },
  {
    title: t("Geographical maps"),
    hint: t(
      "Browsers load map images only from the host in the tile URL. Without a URL, only coasts and borders are drawn.",
    ),
    fields: [
      {
        name: "geomaps_tile_provider",
        label: t("Tile provider"),
        kind: "choice",
        hint: t("Named providers are stored but not used."),
        options: [
          { value: "OpenStreetMap.Mapnik", label: t("None") },
          { value: "", label: t("Other") },
          ...PROVIDERS.map((it) => ({ value: it, label: it })),
        ],
      },
      text("geomaps_tile_url", t("Tile URL"), {
        hint: "https://tiles.example.org/{z}/{x}/{y}.png",
        isWide: true,
        ...TILED,
      }),
      text("geomaps_attribution", t("Attribution text"), TILED),
      text("geomaps_max_zoom", t("Max zoom level, 1 to 30; 0: 18"), TILED),
    ],
  },
  {
    title: t("Flapping"),
    hint: t(
      "If a trigger changes this often within the period, no messages are sent until it is stable for one period. 0: never.",
    ),
    fields: [
      text("flapping_changes", t("Changes")),
      text("flapping_period", t("Period, 1m to 30m")),
    ],
  },
  {
    title: t("Storm digest"),
    hint: t(
      "After this many messages to one recipient within the period, further messages are collected and sent as digests at the interval. 0: never.",
    ),
    fields: [
      text("digest_messages", t("Messages")),
      text("digest_period", t("Within, 10s to 1h")),
      text("digest_interval", t("Interval of digests, 10s to 1d")),
    ],
  },
  {
    title: t("Timeouts for item types"),
    hint: t("For items without a timeout of their own. Periods from 1s to 600s, or user macros."),
    fields: [
      text("timeout_zabbix_agent", t("Zabbix agent")),
      text("timeout_simple_check", t("Simple check")),
      text("timeout_snmp_agent", t("SNMP agent")),
      text("timeout_external_check", t("External check")),
      text("timeout_http_agent", t("HTTP agent")),
      text("timeout_ssh_agent", t("SSH agent")),
      text("timeout_telnet_agent", t("TELNET agent")),
      text("timeout_script", t("Script")),
    ],
  },
  {
    title: t("Security"),
    hint: t("Failed logins and allowed links."),
    fields: [
      text("login_attempts", t("Login attempts")),
      text("login_block", t("Login blocking interval")),
      toggle("validate_uri_schemes", t("Validate URI schemes")),
      text("uri_valid_schemes", t("Valid URI schemes"), {
        under: "validate_uri_schemes",
        isWide: true,
      }),
    ],
  },
  {
    title: t("Other"),
    hint: t("Other settings of Zabbix are stored by the API and have no effect yet."),
    fields: [
      {
        name: "default_inventory_mode",
        label: t("Default host inventory mode"),
        kind: "choice",
        options: [
          { value: "-1", label: t("Disabled") },
          { value: "0", label: t("Manual") },
          { value: "1", label: t("Automatic") },
        ],
      },
      toggle("auditlog_enabled", t("Enable audit logging")),
      toggle("auditlog_mode", t("Log system actions")),
    ],
  },
];

export function groupsOf(kind: SettingsKind): readonly SettingsGroup[] {
  return kind === "housekeeping" ? HOUSEKEEPING : GENERAL;
}

/** What the form holds of all there is. */
export function shownOf(kind: SettingsKind, values: SettingsValues): SettingsValues {
  const fields = groupsOf(kind).flatMap((group) => group.fields);
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? ""]));
}

/** What the form calls a field. */
export function labelOf(kind: SettingsKind, name: string): string {
  const fields = groupsOf(kind).flatMap((group) => group.fields);
  return fields.find((it) => it.name === name)?.label ?? name;
}

/** What differs: nobody's other change is written over. */
export function changesOf(before: SettingsValues, now: SettingsValues): SettingsValues {
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, value]): [string, string] => [name, value.trim()])
      .filter(([name, value]) => before[name] !== value),
  );
}
