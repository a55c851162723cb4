// Fields of general settings and of housekeeping that have an effect, in groups as Zabbix has them.

import type { SettingsKind, SettingsValues } from "@/api/settings";

export interface SettingsField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "switch" | "choice";
  readonly hint?: string;
  /** a switch: without it the field does nothing */
  readonly under?: string;
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

const PERIODS = "Periods as 31d or 12h.";

const HOUSEKEEPING: readonly SettingsGroup[] = [
  {
    title: "Events and alerts",
    hint: "Problems go with their events once they ended longer ago; open ones stay.",
    fields: [
      toggle("hk_events_mode", "Delete old events"),
      text("hk_events_trigger", "Trigger data storage period", { under: "hk_events_mode" }),
      text("hk_events_service", "Service data storage period", { under: "hk_events_mode" }),
      text("hk_events_internal", "Internal data storage period", { under: "hk_events_mode" }),
      text("hk_events_discovery", "Network discovery data storage period", {
        under: "hk_events_mode",
      }),
      text("hk_events_autoreg", "Autoregistration data storage period", {
        under: "hk_events_mode",
      }),
    ],
  },
  {
    title: "User sessions",
    hint: "Counted from their last use.",
    fields: [
      toggle("hk_sessions_mode", "Delete old sessions"),
      text("hk_sessions", "Session data storage period", { under: "hk_sessions_mode" }),
    ],
  },
  {
    title: "Audit log",
    hint: PERIODS,
    fields: [
      toggle("hk_audit_mode", "Delete old audit records"),
      text("hk_audit", "Audit data storage period", { under: "hk_audit_mode" }),
    ],
  },
  {
    title: "History",
    hint: "Rounded up to 1, 7, 31, 90 or 365 days or for ever. A changed period counts for values that come from then on.",
    fields: [
      toggle("hk_history_mode", "Delete old values"),
      toggle("hk_history_global", "Override item history period"),
      text("hk_history", "History storage period", { under: "hk_history_global" }),
    ],
  },
  {
    title: "Trends",
    hint: "As for history.",
    fields: [
      toggle("hk_trends_mode", "Delete old trends"),
      toggle("hk_trends_global", "Override item trend period"),
      text("hk_trends", "Trend storage period", { under: "hk_trends_global" }),
    ],
  },
];

const GENERAL: readonly SettingsGroup[] = [
  {
    title: "Trigger displaying options",
    hint: "Names of severities, and for how long resolved problems count as recent.",
    fields: [
      ...["Not classified", "Information", "Warning", "Average", "High", "Disaster"].map(
        (label, code) => text(`severity_name_${code}`, label),
      ),
      text("ok_period", "Display OK triggers for"),
    ],
  },
  {
    title: "Flapping",
    hint: "A trigger that changes so often within the period sends nothing until it is calm for one; 0 for never.",
    fields: [text("flapping_changes", "Changes"), text("flapping_period", "Period, 1m to 30m")],
  },
  {
    title: "Storm digest",
    hint: "What follows so many messages to one recipient within the period is put together, and told at intervals; 0 for never.",
    fields: [
      text("digest_messages", "Messages"),
      text("digest_period", "Within, 10s to 1h"),
      text("digest_interval", "Interval of digests, 10s to 1d"),
    ],
  },
  {
    title: "Timeouts for item types",
    hint: "Of items that have none of their own. Periods from 1s to 600s, or user macros.",
    fields: [
      text("timeout_zabbix_agent", "Zabbix agent"),
      text("timeout_simple_check", "Simple check"),
      text("timeout_snmp_agent", "SNMP agent"),
      text("timeout_external_check", "External check"),
      text("timeout_http_agent", "HTTP agent"),
      text("timeout_ssh_agent", "SSH agent"),
      text("timeout_telnet_agent", "TELNET agent"),
      text("timeout_script", "Script"),
    ],
  },
  {
    title: "Security",
    hint: "Logins that fail, and what links may be.",
    fields: [
      text("login_attempts", "Login attempts"),
      text("login_block", "Login blocking interval"),
      toggle("validate_uri_schemes", "Validate URI schemes"),
      text("uri_valid_schemes", "Valid URI schemes", { under: "validate_uri_schemes" }),
    ],
  },
  {
    title: "Other",
    hint: "Other settings of Zabbix are kept by the API, and do nothing yet.",
    fields: [
      {
        name: "default_inventory_mode",
        label: "Default host inventory mode",
        kind: "choice",
        options: [
          { value: "-1", label: "Disabled" },
          { value: "0", label: "Manual" },
          { value: "1", label: "Automatic" },
        ],
      },
      toggle("auditlog_enabled", "Enable audit logging"),
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

/** What differs: nobody's other change is written over. */
export function changesOf(before: SettingsValues, now: SettingsValues): SettingsValues {
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, value]): [string, string] => [name, value.trim()])
      .filter(([name, value]) => before[name] !== value),
  );
}
