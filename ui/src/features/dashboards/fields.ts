// The fields of a widget, by Zabbix's names: `show_lines`, lists as `severities.0`, `itemid.0`, records as
// `thresholds.0.color`, records with lists as `ds.0.items.1`. Files of 6.0 write lists as one name several times,
// and a single object without its `.0`: both are read as well.

import type { WidgetField } from "@/api/dashboards";
import type { Id } from "@/api/types";

/** Types of fields: what the value is. */
export const FIELD = {
  number: "0",
  text: "1",
  hostgroup: "2",
  host: "3",
  item: "4",
  itemPrototype: "5",
  graph: "6",
  graphPrototype: "7",
  map: "8",
  service: "9",
  sla: "10",
  user: "11",
  action: "12",
  mediaType: "13",
} as const;

export type FieldType = (typeof FIELD)[keyof typeof FIELD];

const position = (text: string | undefined) =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

export class Fields {
  readonly all: readonly WidgetField[];

  constructor(all: readonly WidgetField[]) {
    this.all = all;
  }

  has(name: string): boolean {
    return this.all.some((it) => it.name === name || it.name.startsWith(`${name}.`));
  }

  text(name: string, usual = ""): string {
    return this.one(name) ?? usual;
  }

  number(name: string, usual: number): number {
    const value = this.one(name);
    const n = Number(value);
    return value === undefined || value === "" || !Number.isFinite(n) ? usual : n;
  }

  /** A number that may be left open. */
  maybeNumber(name: string): number | undefined {
    const n = this.number(name, Number.NaN);
    return Number.isNaN(n) ? undefined : n;
  }

  flag(name: string, usual: boolean): boolean {
    return this.number(name, usual ? 1 : 0) === 1;
  }

  /** `#rrggbb`, undefined where the theme's own colour is meant. */
  color(name: string): string | undefined {
    return colorOf(this.one(name));
  }

  /** All values of a list, in order. */
  list(name: string): readonly string[] {
    const found: (readonly [at: number, value: string])[] = [];
    for (const [order, field] of this.all.entries()) {
      if (field.name === name) found.push([order, field.value]);
      else if (field.name.startsWith(`${name}.`)) {
        const at = position(field.name.slice(name.length + 1));
        if (at !== undefined) found.push([at, field.value]);
      }
    }
    return found.sort((a, b) => a[0] - b[0]).map(([, value]) => value);
  }

  numbers(name: string): readonly number[] {
    return this.list(name).map(Number).filter(Number.isFinite);
  }

  /** A list of numbers; those that are usual where none is written. */
  choices(name: string, usual: readonly number[]): ReadonlySet<number> {
    const found = this.numbers(name);
    return new Set(found.length === 0 ? usual : found);
  }

  ids(name: string): readonly Id[] {
    return this.list(name).filter((it) => /^[1-9]\d*$/.test(it));
  }

  /** The records under a name, such as the data sets `ds`; a position that is missing is left out. */
  records(name: string): readonly Fields[] {
    const byPosition = new Map<number, WidgetField[]>();
    const prefix = `${name}.`;
    for (const field of this.all) {
      if (!field.name.startsWith(prefix)) continue;
      const [first, ...rest] = field.name.slice(prefix.length).split(".");
      // 6.0: ds.color.0, ds.items.0.1
      const old = position(first) === undefined ? position(rest[0]) : undefined;
      const at = position(first) ?? old;
      if (at === undefined) continue;
      const own = old === undefined ? rest.join(".") : [first, ...rest.slice(1)].join(".");
      if (own === "") continue;
      const fields = byPosition.get(at) ?? [];
      fields.push({ ...field, name: own });
      byPosition.set(at, fields);
    }
    const sorted = [...byPosition].sort(([a], [b]) => a - b);
    return sorted.map(([, fields]) => new Fields(fields));
  }

  private one(name: string): string | undefined {
    const exact = this.all.find((it) => it.name === name);
    return (exact ?? this.all.find((it) => it.name === `${name}.0`))?.value;
  }
}

export function colorOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-fA-F]{6}$/.test(text) ? `#${text}` : undefined;
}

export interface Threshold {
  readonly from: number;
  readonly color: string;
}

const SUFFIXES: Readonly<Record<string, number>> = {
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/** 10K, 1.5G, 5m; not a number without one of the suffixes. */
export function suffixed(text: string): number {
  const match = /^\s*(-?\d+(?:\.\d+)?)([KMGTsmhdw]?)\s*$/.exec(text);
  return match === null ? Number.NaN : Number(match[1]) * (SUFFIXES[match[2] ?? ""] ?? 1);
}

/** Lowest first. */
export function thresholdsOf(fields: Fields, name = "thresholds"): readonly Threshold[] {
  return fields
    .records(name)
    .map((it) => ({ from: suffixed(it.text("threshold")), color: it.color("color") }))
    .filter((it): it is Threshold => Number.isFinite(it.from) && it.color !== undefined)
    .sort((a, b) => a.from - b.from);
}

/** The highest threshold that the value has reached. */
export function reached(
  thresholds: readonly Threshold[],
  value: number | undefined,
): Threshold | undefined {
  return value === undefined ? undefined : thresholds.findLast((it) => value >= it.from);
}

export interface TagRule {
  readonly tag: string;
  readonly operator: number;
  readonly value: string;
}

export function tagsOf(fields: Fields, name: string): readonly TagRule[] {
  return fields
    .records(name)
    .map((it) => ({
      tag: it.text("tag"),
      operator: it.number("operator", 0),
      value: it.text("value"),
    }))
    .filter(({ tag }) => tag !== "");
}

// ---- changing

/** The fields without those of a name, and what is below it. */
export function without(all: readonly WidgetField[], name: string): readonly WidgetField[] {
  return all.filter((it) => it.name !== name && !it.name.startsWith(`${name}.`));
}

/** One value under a name; undefined takes it away. */
export function withOne(
  all: readonly WidgetField[],
  type: FieldType,
  name: string,
  value: string | undefined,
): readonly WidgetField[] {
  const rest = without(all, name);
  return value === undefined ? rest : [...rest, { type, name, value }];
}

/** A list under `name.0`, `name.1`, … */
export function withList(
  all: readonly WidgetField[],
  type: FieldType,
  name: string,
  values: readonly string[],
): readonly WidgetField[] {
  const own = values.map((value, at) => ({ type, name: `${name}.${at}`, value }));
  return [...without(all, name), ...own];
}

/** Records under `name.0.…`, `name.1.…` */
export function withRecords(
  all: readonly WidgetField[],
  name: string,
  records: readonly (readonly WidgetField[])[],
): readonly WidgetField[] {
  const own = records.flatMap((fields, at) =>
    fields.map((it) => ({ ...it, name: `${name}.${at}.${it.name}` })),
  );
  return [...without(all, name), ...own];
}

/** The refresh interval of a widget in seconds; 0: never. */
export function refreshOf(fields: Fields, usual: number): number {
  const rate = fields.number("rf_rate", -1);
  return rate < 0 ? usual : rate;
}

// as Zabbix makes them: five capitals
const REFERENCE_LETTERS = 5;

/** A name for a widget by which others listen to it, unlike those that are there. */
export function newReference(taken: ReadonlySet<string>): string {
  for (let n = 0; ; n += 1) {
    let rest = n;
    let name = "";
    for (let at = 0; at < REFERENCE_LETTERS; at += 1) {
      name = String.fromCharCode(65 + (rest % 26)) + name;
      rest = Math.floor(rest / 26);
    }
    if (!taken.has(name)) return name;
  }
}

/** What a widget listens to: `EFBCE._itemid` is the item picked in the widget with that reference. */
export interface Source {
  readonly reference: string;
  readonly kind: string;
}

/** The dashboard itself, as a source: its host and its time. */
export const DASHBOARD = "DASHBOARD";

export function sourceOf(fields: Fields, name: string): Source | undefined {
  const [reference = "", kind = ""] = fields.text(`${name}._reference`).split("._");
  return reference === "" || kind === "" ? undefined : { reference, kind };
}

/** Whether the widget shows what the dashboard's host has in place of what it names. */
export function followsHost(fields: Fields): boolean {
  return (
    sourceOf(fields, "override_hostid")?.reference === DASHBOARD ||
    // 6.0
    fields.flag("dynamic", false)
  );
}
