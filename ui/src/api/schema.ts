// What answers must look like before the rest of the UI sees them. Numbers are accepted where Zabbix sends
// strings, and the other way round, because clients and servers of several versions meet here.

import * as z from "zod/mini";

// compiled validators need `new Function`, which the content security policy forbids
z.config({ jitless: true });

type Deep<T> = T extends object ? { readonly [K in keyof T]: Deep<T[K]> } : T;
/** What a schema reads; nobody changes it. */
export type Read<S extends z.ZodMiniType> = Deep<z.infer<S>>;

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
/** What `countOutput` answers. */
export const count: z.ZodMiniType<string> = text;

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
  /** 1 user, 2 admin, 3 super admin */
  type: z.pipe(
    z.optional(z.union([z.string(), z.number()])),
    z.transform((value) => Number(value ?? 1)),
  ),
  /** parts of the pages that the role lets see, by Zabbix's names; undefined: a server that knows none */
  ui: z.optional(z.array(text)),
  /** what the role lets do, by Zabbix's names; undefined: as above */
  actions: z.optional(z.array(text)),
  /** methods that the pages may not call for the user; undefined: as above */
  denied: z.optional(z.array(text)),
  /** the page after the login; empty: the first one */
  url: textOr(""),
  /** "default": as the browser */
  theme: textOr("default"),
  /** a locale as ru_RU; "default": as the browser */
  lang: textOr("default"),
  /** "default" or "system": as the browser */
  timezone: textOr("default"),
  /** seconds without a hand on mouse or keyboard after which one is signed out; 0: never */
  autologout: z._default(z.number(), 0),
  /** how many rows a long list fetches at once */
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
      /** the newest value of the range */
      last: z.nullable(z.number()),
      /** what was read, in order of time, without a gap; both ends are included */
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

/** Without an error it is left out or null. */
export const expressionCheck = z.object({
  ok: z.boolean(),
  error: z.pipe(
    z.optional(z.nullable(z.object({ message: z.string(), position: z._default(z.number(), 0) }))),
    z.transform((error) => error ?? undefined),
  ),
});

export const importReport = z.object({
  /** technical names */
  templates: z.array(z.string()),
  hosts: z.array(z.string()),
  /** how many objects, by list of the file */
  changes: z.record(
    z.string(),
    z.object({ created: z.number(), updated: z.number(), deleted: z.number() }),
  ),
  /** how many of what the server has no place for yet */
  left_out: z.record(z.string(), z.number()),
  /** items of types that nothing collects yet with those that depend on them, the most first */
  not_collected: z.array(
    z.object({ type: z.string(), items: z.number(), templates: z.array(z.string()) }),
  ),
});
export const importPreview = z.extend(importReport, { diff: z.record(z.string(), z.unknown()) });

export const exportedText = z.string();
