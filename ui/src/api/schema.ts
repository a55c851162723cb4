// What answers must look like before the rest of the UI sees them. Numbers are accepted where Zabbix sends
// strings, and the other way round, because clients and servers of several versions meet here.

import * as z from "zod/mini";
import type { TagPair } from "@/lib/columns";
import { toSeverity } from "@/lib/severity";
import type { ImportPreview, ImportReport } from "./native";
import type { ProblemRow } from "./problem-table";
import type { TemplateRef } from "./templates";
import type {
  EventAcknowledge,
  GroupRef,
  HistoryValue,
  Host,
  HostEvent,
  HostInterface,
  HostName,
  HostRow,
  Macro,
  ProblemEvent,
  SnmpDetails,
  Tag,
} from "./types";

// compiled validators need `new Function`, which the content security policy forbids
z.config({ jitless: true });

const text = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value)),
);
/** Absent where an older server or a narrower output leaves it out. */
const textOr = (fallback: string) =>
  z.pipe(
    z.optional(z.union([z.string(), z.number(), z.null()])),
    z.transform((value) => String(value ?? fallback)),
  );
const optionalText = z.pipe(
  z.optional(z.union([z.string(), z.number(), z.null()])),
  z.transform((value) => (value === undefined || value === null ? undefined : String(value))),
);
function listOr<T>(entry: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return z._default(z.readonly(z.array(entry)), []) as unknown as z.ZodMiniType<readonly T[]>;
}
/** A count from `countOutput` style selects: "12", or the list itself. */
const countOr0 = z.pipe(
  z.optional(z.union([z.string(), z.number(), z.array(z.unknown())])),
  z.transform((value) => (Array.isArray(value) ? String(value.length) : String(value ?? "0"))),
);

const tag: z.ZodMiniType<Tag> = z.object({ tag: text, value: textOr("") });

export const macro: z.ZodMiniType<Macro> = z.object({
  macro: text,
  value: textOr(""),
  description: textOr(""),
  type: textOr("0"),
  hostmacroid: optionalText,
  globalmacroid: optionalText,
  hostid: optionalText,
});

const snmpDetails: z.ZodMiniType<SnmpDetails> = z.object({
  version: textOr("2"),
  bulk: textOr("1"),
  community: optionalText,
  max_repetitions: optionalText,
  securityname: optionalText,
  securitylevel: optionalText,
  authprotocol: optionalText,
  authpassphrase: optionalText,
  privprotocol: optionalText,
  privpassphrase: optionalText,
  contextname: optionalText,
});

// Zabbix sends [] for "no details"
const details = z.pipe(
  z.optional(z.union([snmpDetails, z.array(z.unknown())])),
  z.transform((value): SnmpDetails | undefined =>
    value === undefined || Array.isArray(value) ? undefined : (value as SnmpDetails),
  ),
);

const hostInterface: z.ZodMiniType<HostInterface> = z.object({
  interfaceid: optionalText,
  type: text,
  main: textOr("1"),
  useip: textOr("1"),
  ip: textOr(""),
  dns: textOr(""),
  port: textOr("10050"),
  available: textOr("0"),
  error: textOr(""),
  details,
});

export const group: z.ZodMiniType<GroupRef> = z.object({ groupid: text, name: text });
export const groupMembers = z.object({
  groupid: text,
  name: text,
  hosts: listOr(z.object({ hostid: text })),
});
export const templateRef: z.ZodMiniType<TemplateRef> = z.object({
  templateid: text,
  name: textOr(""),
});

const hostContent = {
  hostid: text,
  host: text,
  name: textOr(""),
  status: textOr("0"),
  active_available: textOr("0"),
  interfaces: listOr(hostInterface),
  hostgroups: listOr(group),
  parentTemplates: listOr(templateRef),
  tags: listOr(tag),
  items: countOr0,
  triggers: countOr0,
  discoveries: countOr0,
};

export const host: z.ZodMiniType<Host> = z.object({
  ...hostContent,
  ipmi_authtype: textOr("-1"),
  ipmi_privilege: textOr("2"),
  ipmi_username: textOr(""),
  description: textOr(""),
  macros: listOr(macro),
  parents: listOr(z.object({ hostid: text })),
  tls_connect: textOr("1"),
  tls_accept: textOr("1"),
  tls_issuer: textOr(""),
  tls_subject: textOr(""),
});

const hostRow: z.ZodMiniType<HostRow> = z.object(hostContent);
export const hostWindow = z.object({ total: z.number(), hosts: listOf(hostRow) });
export const hostIds = z.object({ hostids: listOf(z.string()) });
const hostName: z.ZodMiniType<HostName> = z.object({ hostid: z.string(), name: z.string() });
export const hostNames = z.object({ hosts: listOf(hostName) });

const acknowledge: z.ZodMiniType<EventAcknowledge> = z.object({
  acknowledgeid: text,
  userid: textOr("0"),
  username: optionalText,
  clock: textOr("0"),
  message: textOr(""),
  action: textOr("0"),
  old_severity: textOr("0"),
  new_severity: textOr("0"),
  suppress_until: textOr("0"),
});

export const problemEvent: z.ZodMiniType<ProblemEvent> = z.object({
  eventid: text,
  objectid: textOr("0"),
  clock: text,
  value: textOr("1"),
  name: textOr(""),
  severity: textOr("0"),
  acknowledged: textOr("0"),
  r_eventid: textOr("0"),
  acknowledges: listOr(acknowledge),
  urls: listOr(z.object({ url: text, name: text })),
});

/** What `countOutput` answers. */
export const count: z.ZodMiniType<string> = text;

export const hostEvent: z.ZodMiniType<HostEvent> = z.object({
  eventid: text,
  clock: text,
  value: text,
  name: textOr(""),
  severity: textOr("0"),
  hosts: listOr(z.object({ hostid: text, name: textOr("") })),
});

type PastProblem = Omit<ProblemRow, "rClock" | "manualClose"> & { readonly r_eventid: string };

/** A problem that the live list no longer holds; its end is another event. */
export const pastProblem: z.ZodMiniType<PastProblem> = z.pipe(
  z.object({
    eventid: text,
    objectid: textOr("0"),
    clock: text,
    name: textOr(""),
    severity: textOr("0"),
    acknowledged: textOr("0"),
    suppressed: textOr("0"),
    flapping: textOr("0"),
    opdata: textOr(""),
    r_eventid: textOr("0"),
    cause_eventid: textOr("0"),
    tags: listOr(tag),
    hosts: listOr(z.object({ hostid: text, name: textOr("") })),
  }),
  z.transform(
    ({ hosts, tags, clock, cause_eventid, ...event }): PastProblem => ({
      ...event,
      cause: cause_eventid,
      clock: Number(clock),
      acknowledged: event.acknowledged === "1",
      suppressed: event.suppressed === "1",
      flapping: event.flapping === "1",
      severity: toSeverity(event.severity),
      hostid: hosts[0]?.hostid ?? "",
      host: hosts[0]?.name ?? "",
      tags: tags.map(({ tag: name, value }): TagPair => [name, value]),
    }),
  ),
) as unknown as z.ZodMiniType<PastProblem>;

export const historyValue: z.ZodMiniType<HistoryValue> = z.object({
  itemid: text,
  clock: text,
  ns: textOr("0"),
  value: text,
});

/** Changed ids, such as `{hostids: ["1"]}`: only their being there matters. */
export const changed = z.looseObject({});
/** Ids of created objects under the given name. */
export function createdIds(name: string): z.ZodMiniType<readonly string[]> {
  return z.pipe(
    z.looseObject({ [name]: z.array(text) }),
    z.transform((value) => value[name] as readonly string[]),
  ) as unknown as z.ZodMiniType<readonly string[]>;
}

export function listOf<T>(entry: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return z.readonly(z.array(entry)) as unknown as z.ZodMiniType<readonly T[]>;
}

const number = z._default(z.number(), 0);

export const sessionUser = z.object({
  userid: text,
  username: text,
  name: textOr(""),
  surname: textOr(""),
  roleid: textOr("0"),
  type: z.pipe(
    z.optional(z.union([z.string(), z.number()])),
    z.transform((value) => Number(value ?? 1)),
  ),
  ui: z.optional(z.array(text)),
  actions: z.optional(z.array(text)),
  denied: z.optional(z.array(text)),
  url: textOr(""),
  theme: textOr("default"),
  lang: textOr("default"),
  timezone: textOr("default"),
  autologout: z._default(z.number(), 0),
  rows_per_page: z._default(z.number(), 50),
});

const timezone = z.optional(z.nullable(text));
export const loginAnswer = z.object({ user: sessionUser, timezone });
export const sessionAnswer = z.object({ user: z.nullable(sessionUser), timezone });

export const problemCounts = z.array(
  z.object({ severity: number, total: number, acknowledged: number }),
);

export const overview = z.object({
  system: z.object({
    version: z._default(z.string(), ""),
    state: z._default(z.string(), ""),
    uptime_s: number,
    hosts_total: number,
    hosts_available: number,
    hosts_unavailable: number,
    items_total: number,
    items_supported: number,
    items_unsupported: number,
    triggers_total: number,
    values_total: number,
    values_per_second: number,
    required_values_per_second: number,
    journal: z._default(z.object({ bytes: number, lag_ms: number }), { bytes: 0, lag_ms: 0 }),
    shards: z._default(z.array(z.object({ id: number, busy_percent: number, queue: number })), []),
    queue_overdue: number,
    memory_bytes: number,
    cpu_percent: number,
  }),
  problems_by_severity: z._default(problemCounts, []),
  worst_problems: z._default(z.array(z.unknown()), []),
  nvps: z._default(z.object({ t: z.array(z.number()), v: z.array(z.number()) }), { t: [], v: [] }),
});

const samples = z.array(z.nullable(z.number()));
export const series = z.object({
  series: z.array(
    z.object({
      itemid: text,
      t: z.array(z.number()),
      min: samples,
      avg: samples,
      max: samples,
      count: z._default(z.array(z.number()), []),
      last: z.nullable(z.number()),
      parts: z.array(
        z.object({
          source: z.union([z.literal("history"), z.literal("trends")]),
          from: z.number(),
          to: z.number(),
        }),
      ),
    }),
  ),
});

export const expressionCheck = z.object({
  ok: z.boolean(),
  error: z.optional(
    z.nullable(z.object({ message: z.string(), position: z._default(z.number(), 0) })),
  ),
});

const importReportFields = {
  templates: z.array(z.string()),
  hosts: z.array(z.string()),
  changes: z.record(
    z.string(),
    z.object({ created: z.number(), updated: z.number(), deleted: z.number() }),
  ),
  left_out: z.record(z.string(), z.number()),
  not_collected: z.array(
    z.object({ type: z.string(), items: z.number(), templates: z.array(z.string()) }),
  ),
};

export const importReport: z.ZodMiniType<ImportReport> = z.object(importReportFields);

export const importPreview: z.ZodMiniType<ImportPreview> = z.object({
  ...importReportFields,
  diff: z.record(z.string(), z.unknown()),
});

export const exportedText = z.string();
