// What the server's descriptions say of an object's fields (`generated/`), and what follows from it: schemas of
// answers, drafts of new objects, checks of what is typed.

import * as z from "zod/mini";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { intervalSeconds } from "@/lib/interval";

export interface Condition {
  readonly field: string;
  readonly oneOf: readonly string[];
}

export interface FieldDescription {
  readonly type:
    | "id"
    | "text"
    | "uuid"
    | "int"
    | "code"
    | "time"
    | "bool"
    | "float"
    | "object"
    | "list"
    | "texts";
  /** characters of a text, or the largest number */
  readonly max?: number;
  readonly min?: number;
  readonly codes?: readonly string[];
  /** of what the object has a list of */
  readonly fields?: FieldDescriptions;
  /** set by the server only */
  readonly readOnly?: true;
  /** not in answers, or only by a select */
  readonly notAnswered?: true;
  /** given at creation, not changed later */
  readonly fixed?: true;
  readonly required?: true;
  readonly default?: string;
  /** what a text looks like, by name */
  readonly form?: string;
  /** bounds of what the text stands for */
  readonly within?: readonly [number, number];
  /** what exports call the codes */
  readonly names?: Readonly<Record<string, string>>;
  /** the object that the id is of */
  readonly refers?: string;
  /** the field goes with these only */
  readonly only?: readonly Condition[];
  /** and may not be given elsewhere, not even its default */
  readonly absentElsewhere?: true;
  readonly needed?: readonly Condition[];
}

export type FieldDescriptions = Readonly<Record<string, FieldDescription>>;

export interface SelectDescription {
  readonly param: string;
  /** parts that are no field of the object */
  readonly list?: FieldDescriptions;
  readonly one?: FieldDescriptions;
  /** name of the object that it is about */
  readonly objects?: string;
  readonly object?: string;
}

export interface Description {
  readonly object: string;
  readonly id: string;
  readonly ids: string;
  readonly fields: FieldDescriptions;
  readonly selects?: Readonly<Record<string, SelectDescription>>;
}

/** An answer with what its selects add. */
export type With<T, Selects, Names extends keyof Selects> = T & {
  readonly [Name in Names]: Exclude<Selects[Name], string>;
};

/** One of a list that a select adds. */
export type Part<Selects, Name extends keyof Selects> =
  Exclude<Selects[Name], string> extends readonly (infer P)[] ? P : never;

// Numbers are taken where Zabbix sends texts.
const text = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value)),
);

function schemaOfField(field: FieldDescription): z.ZodMiniType {
  switch (field.type) {
    case "bool":
      return z.boolean();
    case "texts":
      return z.array(z.string());
    case "list":
      return z.array(schemaOfFields(field.fields ?? {}));
    case "object":
      // Zabbix sends [] for "none"
      return z.union([schemaOfFields(field.fields ?? {}), z.array(z.unknown())]);
    default:
      return text;
  }
}

function schemaOfFields(
  fields: FieldDescriptions,
  has: (name: string) => boolean = () => true,
): z.ZodMiniType {
  const answered = Object.entries(fields).filter(
    ([name, field]) => field.notAnswered !== true && has(name),
  );
  const shape = answered.map(([name, field]) => {
    const schema = schemaOfField(field);
    // Some answers leave such fields out, others have the default.
    const isMaybe = field.absentElsewhere === true;
    return [name, isMaybe ? z._default(schema, field.default ?? "") : schema] as const;
  });
  return z.object(Object.fromEntries(shape));
}

/** Names of the fields that answers have without being asked for by a select. */
export function answeredFields(described: Description): readonly string[] {
  return Object.entries(described.fields)
    .filter(([, field]) => field.notAnswered !== true)
    .map(([name]) => name);
}

function schemaOfSelect(
  described: Description,
  name: string,
  wanted: readonly string[] | "extend",
) {
  const select = described.selects?.[name];
  if (select === undefined) throw new Error(`${described.object} has no select for ${name}`);
  const field = described.fields[name];
  const parts = select.list ?? select.one ?? field?.fields;
  const names = wanted === "extend" ? [] : wanted;
  const shape =
    parts === undefined
      ? z.object(Object.fromEntries(names.map((it) => [it, text])))
      : schemaOfFields(parts, (it) => wanted === "extend" || names.includes(it));
  const isOne = select.one !== undefined || select.object !== undefined || field?.type === "object";
  // Zabbix sends [] for "none"
  return isOne ? z.union([shape, z.array(z.unknown())]) : z.array(shape);
}

export type Wanted = Readonly<Record<string, readonly string[] | "extend">>;

/** The schema of an answer with these fields and selects. */
export function schemaOf(
  described: Description,
  output: readonly string[],
  selects: Wanted,
): z.ZodMiniType {
  const fields = output.map((name) => {
    const field = described.fields[name];
    if (field === undefined) throw new Error(`${described.object} has no field ${name}`);
    return [name, schemaOfField(field)] as const;
  });
  const added = Object.entries(selects).map(
    ([name, wanted]) => [name, schemaOfSelect(described, name, wanted)] as const,
  );
  return z.object(Object.fromEntries([...fields, ...added]));
}

/** `selectTags: "extend"` of `{ tags: "extend" }`. */
export function selectParams(described: Description, selects: Wanted): Record<string, unknown> {
  const params = Object.entries(selects).map(([name, wanted]) => [
    described.selects?.[name]?.param ?? name,
    wanted,
  ]);
  return Object.fromEntries(params) as Record<string, unknown>;
}

/** The names of fields with a text for a value. */
type Plain<F extends FieldDescriptions> = {
  [N in keyof F]: F[N]["type"] extends "list" | "object" | "texts" | "bool"
    ? never
    : F[N] extends { readonly readOnly: true }
      ? never
      : N;
}[keyof F];

/** The fields of a new object: the server's defaults, and empty texts where there is none. */
export function newFields<F extends FieldDescriptions>(fields: F): { [N in Plain<F>]: string } {
  const plain = Object.entries(fields).filter(
    ([, { type, readOnly }]) =>
      readOnly !== true && !["list", "object", "texts", "bool"].includes(type),
  );
  const values = plain.map(([name, field]) => [name, field.default ?? ""]);
  return Object.fromEntries(values) as { [N in Plain<F>]: string };
}

/** Whether the field goes with the others, by their values. */
export function goesWith(
  field: FieldDescription,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return (field.only ?? []).every((it) => it.oneOf.includes(String(values[it.field])));
}

/** The values with defaults in the fields that do not go with the others: the server refuses anything else. */
export function withoutUseless<T extends Readonly<Record<string, unknown>>>(
  fields: FieldDescriptions,
  values: T,
): T {
  const kept = Object.entries(values).map(([name, value]) => {
    const field = fields[name];
    const isUseless = field !== undefined && typeof value === "string" && !goesWith(field, values);
    return [name, isUseless ? (field.default ?? "") : value];
  });
  return Object.fromEntries(kept) as T;
}

/** Forms of texts that stand for seconds. */
const PERIODS: Readonly<Record<string, { readonly zero?: true; readonly macro?: true }>> = {
  period: {},
  "period-or-0": { zero: true },
  "period-or-macro": { macro: true },
};

function checkSeconds(value: string, field: FieldDescription): Check {
  const form = PERIODS[field.form ?? ""];
  if (form === undefined || field.within === undefined) return OK;
  const [min, max] = field.within;
  const seconds = intervalSeconds(value);
  const isWithin = seconds !== undefined && min <= seconds && seconds <= max;
  const isOther =
    (form.zero === true && seconds === 0) || (form.macro === true && value.startsWith("{$"));
  return isWithin || isOther ? OK : bad(t("a time from {min}s to {max}s", { min, max }), 0);
}

/** What the description says of a text that somebody types. */
export function checkField(field: FieldDescription, typed: string): Check {
  const value = typed.trim();
  if (value === "") return field.required === true ? bad(t("a value is required"), 0) : OK;
  if (field.type === "int") {
    const [min, max] = [field.min ?? 0, field.max ?? Number.MAX_SAFE_INTEGER];
    const isWhole = /^-?\d+$/.test(value) && min <= Number(value) && Number(value) <= max;
    return isWhole ? OK : bad(t("a whole number from {min} to {max}", { min, max }), 0);
  }
  if (field.type === "text" && field.max !== undefined && field.max < [...typed].length) {
    return bad(t("at most {max} characters", { max: field.max }), field.max);
  }
  return checkSeconds(value, field);
}
