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
  /** parts of a list that may stand in place of the text */
  readonly orList?: FieldDescriptions;
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
  /** what the codes are called */
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
  /** a long field that is not returned otherwise: the parameter is a flag */
  readonly text?: true;
}

export interface Description {
  readonly object: string;
  readonly id: string;
  readonly ids: string;
  readonly fields: FieldDescriptions;
  readonly selects?: Readonly<Record<string, SelectDescription>>;
}

/** The value of a field in an answer. */
type Value<F> = F extends { readonly type: "bool" }
  ? boolean
  : F extends { readonly type: "texts" }
    ? readonly string[]
    : F extends { readonly orList: infer P }
      ? string | readonly Parts<P>[]
      : F extends { readonly type: "list"; readonly fields: infer P }
        ? readonly Parts<P>[]
        : F extends { readonly type: "object"; readonly fields: infer P }
          ? F extends { readonly required: true }
            ? Parts<P>
            : Parts<P> | undefined
          : F extends { readonly type: "object" }
            ? Readonly<Record<string, string>> | undefined
            : string;

/** What has a value of its own in each answer. */
type Given =
  | { readonly required: true }
  | { readonly default: string }
  | { readonly readOnly: true }
  | { readonly fixed: true };

/** Names of parts that answers may leave out: they have no value of their own, or do not go with the others. */
type MaybeIn<P> = {
  [N in keyof P]: P[N] extends { readonly type: "object" }
    ? P[N] extends { readonly required: true }
      ? never
      : N
    : P[N] extends { readonly type: "list" }
      ? P[N] extends { readonly only: unknown }
        ? N
        : never
      : P[N] extends { readonly type: "text" | "texts" | "bool" } | Given
        ? never
        : N;
}[keyof P];

type AnsweredIn<P> = {
  [N in keyof P]: P[N] extends { readonly notAnswered: true } ? never : N;
}[keyof P];

/** Parts of a list or an object, as answers have them. */
type Parts<P> = {
  readonly [N in Exclude<AnsweredIn<P>, MaybeIn<P>>]: Value<P[N]>;
} & { readonly [N in Extract<AnsweredIn<P>, MaybeIn<P>>]?: Value<P[N]> | undefined };

type Fields<D extends Description> = D["fields"];
type Selects<D extends Description> = D extends { readonly selects: infer S } ? S : object;

/** Names of the fields that answers have without being asked for by a select. */
type Answered<D extends Description> = AnsweredIn<Fields<D>>;

/** The parts that a select adds, where they are described: with it, or with the field. */
type SelectedParts<D extends Description, N extends keyof Selects<D>> = Selects<D>[N] extends
  | { readonly list: infer P }
  | { readonly one: infer P }
  ? P
  : N extends keyof Fields<D>
    ? Fields<D>[N] extends { readonly fields: infer P }
      ? P
      : never
    : never;

type Names = readonly string[];

/** Related objects with fields by their own description, in a select. */
export interface Related {
  readonly of: Description;
  readonly output: Names;
}

type RelatedOf<W> = W extends { readonly of: infer D; readonly output: infer O }
  ? D extends Description
    ? { readonly [N in O extends Names ? O[number] : never]: Value<Fields<D>[N]> }
    : never
  : never;

type Named<W> = W extends Names ? { readonly [N in W[number]]: string } : never;
type Picked<P, W> = W extends Names ? Pick<Parts<P>, W[number] & keyof Parts<P>> : Parts<P>;

type Selected<D extends Description, N extends keyof Selects<D>, W> = W extends "count" | true
  ? string
  : Selects<D>[N] extends { readonly objects: string }
    ? readonly (W extends Related ? RelatedOf<W> : Named<W>)[]
    : Selects<D>[N] extends { readonly object: string }
      ? (W extends Related ? RelatedOf<W> : Named<W>) | undefined
      : Selects<D>[N] extends { readonly one: unknown }
        ? Picked<SelectedParts<D, N>, W> | undefined
        : N extends keyof Fields<D>
          ? Fields<D>[N] extends { readonly type: "object" }
            ?
                | Picked<SelectedParts<D, N>, W>
                | (Fields<D>[N] extends { readonly required: true } ? never : undefined)
            : readonly Picked<SelectedParts<D, N>, W>[]
          : readonly Picked<SelectedParts<D, N>, W>[];

/** What may be asked for by a select: names of parts or of fields of the objects. */
type Askable<D extends Description, N extends keyof Selects<D>> =
  | (Selects<D>[N] extends { readonly objects: string } | { readonly object: string }
      ? Names | Related
      : Selects<D>[N] extends { readonly text: true }
        ? true
        : "extend" | readonly (keyof Parts<SelectedParts<D, N>>)[])
  | "count";

export type SelectsOf<D extends Description> = {
  readonly [N in keyof Selects<D>]?: Askable<D, N>;
};

export type OutputOf<D extends Description> = readonly Answered<D>[];

/** An answer with these fields and selects. */
export type Answer<D extends Description, O extends OutputOf<D>, S extends SelectsOf<D>> = {
  readonly [N in O[number]]: Value<Fields<D>[N]>;
} & { readonly [N in keyof S & keyof Selects<D>]: Selected<D, N, S[N]> };

// Numbers are taken where Zabbix sends texts.
const text = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value)),
);

// Zabbix sends a single text where there may be several.
const texts = z.pipe(
  z.union([z.array(z.string()), z.string()]),
  z.transform((value) => (typeof value === "string" ? [value] : value)),
);

/** Zabbix sends [] for an object that is not there. */
function maybeNone(schema: z.ZodMiniType): z.ZodMiniType {
  return z.pipe(
    z.optional(z.union([schema, z.array(z.unknown())])),
    z.transform((value) => (Array.isArray(value) ? undefined : value)),
  );
}

function schemaOfField(field: FieldDescription): z.ZodMiniType {
  switch (field.type) {
    case "bool":
      return z.boolean();
    case "texts":
      return texts;
    case "list":
      return z.array(schemaOfParts(field.fields ?? {}));
    case "object": {
      const parts =
        field.fields === undefined ? z.record(z.string(), text) : schemaOfParts(field.fields);
      return field.required === true ? parts : maybeNone(parts);
    }
    default:
      return field.orList === undefined
        ? text
        : z.union([text, z.array(schemaOfParts(field.orList))]);
  }
}

/** What stands for a field that an answer leaves out. */
function withDefault(field: FieldDescription): z.ZodMiniType {
  const schema = schemaOfField(field);
  switch (field.type) {
    case "object":
    case "bool":
      return schema;
    case "list":
      return field.only === undefined ? z._default(schema, []) : z.optional(schema);
    case "texts":
      return z._default(schema, []);
    case "text":
      return z._default(schema, field.default ?? "");
    default:
      return field.default === undefined ? z.optional(schema) : z._default(schema, field.default);
  }
}

function isAlwaysThere({ type, required }: FieldDescription): boolean {
  return required === true && type !== "text";
}

/** Of parts, answers have only the fields that go with the others, and no secrets. */
function schemaOfParts(
  fields: FieldDescriptions,
  has: (name: string) => boolean = () => true,
): z.ZodMiniType {
  const answered = Object.entries(fields).filter(
    ([name, field]) => field.notAnswered !== true && has(name),
  );
  const shape = answered.map(
    ([name, field]) =>
      [name, isAlwaysThere(field) ? schemaOfField(field) : withDefault(field)] as const,
  );
  return z.object(Object.fromEntries(shape));
}

/** Lists of such parts, in answers of other kinds: with all fields or those of the names. */
export function listSchema<
  const F extends FieldDescriptions,
  const N extends keyof F & string = keyof F & string,
>(fields: F, names?: readonly N[]): z.ZodMiniType<readonly Parts<Pick<F, N>>[]> {
  const has = (name: string) => names === undefined || names.includes(name as N);
  return z.array(schemaOfParts(fields, has)) as unknown as z.ZodMiniType<
    readonly Parts<Pick<F, N>>[]
  >;
}

type FieldsWithout<F, N> = {
  readonly [K in keyof F as K extends N ? never : K]: F[K] extends { readonly fields: infer P }
    ? Omit<F[K], "fields"> & { readonly fields: FieldsWithout<P, N> }
    : F[K];
};

/** The description without fields of these names, in parts too. */
export function without<const D extends Description, const N extends string>(
  described: D,
  names: readonly N[],
): Omit<D, "fields"> & { readonly fields: FieldsWithout<D["fields"], N> } {
  const kept = (fields: FieldDescriptions): FieldDescriptions =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => !names.includes(name as N))
        .map(([name, it]) => [
          name,
          it.fields === undefined ? it : { ...it, fields: kept(it.fields) },
        ]),
    );
  const fields = kept(described.fields) as unknown as FieldsWithout<D["fields"], N>;
  return { ...described, fields };
}

/** Names of the fields that answers have without being asked for by a select. */
export function answeredFields<D extends Description>(described: D): OutputOf<D> {
  return Object.entries(described.fields)
    .filter(([, field]) => field.notAnswered !== true)
    .map(([name]) => name as Answered<D>);
}

/** Objects of another description with these fields: what a select of them is given. */
export function related<const D extends Description, const O extends OutputOf<D>>(
  of: D,
  output: O,
): { readonly of: D; readonly output: O } {
  return { of, output };
}

export type Wanted = Readonly<Record<string, Names | Related | "extend" | "count" | true>>;

// the list itself where it is not counted
const count = z.pipe(
  z.union([z.string(), z.number(), z.array(z.unknown())]),
  z.transform((value) => String(Array.isArray(value) ? value.length : value)),
);

const isNames = (wanted: Wanted[string]): wanted is Names => Array.isArray(wanted);
const isRelated = (wanted: Wanted[string]): wanted is Related =>
  typeof wanted === "object" && "of" in wanted;

function schemaOfSelected(parts: FieldDescriptions | undefined, wanted: Wanted[string]) {
  if (isRelated(wanted)) return schemaOf(wanted.of, wanted.output, {});
  const names = isNames(wanted) ? wanted : [];
  return parts === undefined
    ? z.object(Object.fromEntries(names.map((it) => [it, text])))
    : schemaOfParts(parts, (it) => wanted === "extend" || names.includes(it));
}

function schemaOfSelect(described: Description, name: string, wanted: Wanted[string]) {
  if (wanted === "count") return count;
  if (wanted === true) return text;
  const select = described.selects?.[name];
  if (select === undefined) throw new Error(`${described.object} has no select for ${name}`);
  const field = described.fields[name];
  const isOther = select.objects !== undefined || select.object !== undefined;
  const parts = isOther ? undefined : (select.list ?? select.one ?? field?.fields);
  const shape = schemaOfSelected(parts, wanted);
  if (!isOther && field?.type === "object") return field.required ? shape : maybeNone(shape);
  const isOne = select.one !== undefined || select.object !== undefined;
  return isOne ? maybeNone(shape) : z.array(shape);
}

/** The schema of an answer with these fields and selects. */
export function schemaOf(described: Description, output: Names, selects: Wanted): z.ZodMiniType {
  const fields = output.map((name) => {
    const field = described.fields[name];
    if (field === undefined) throw new Error(`${described.object} has no field ${name}`);
    // Some answers leave such fields out, others have the default.
    return [
      name,
      field.absentElsewhere === true ? withDefault(field) : schemaOfField(field),
    ] as const;
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
    isRelated(wanted) ? wanted.output : wanted,
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

type Values = Readonly<Record<string, unknown>>;

function isMet(conditions: readonly Condition[], values: Values): boolean {
  return conditions.every((it) => it.oneOf.includes(String(values[it.field])));
}

/** Whether the field goes with the others, by their values. */
export function goesWith(field: FieldDescription, values: Values): boolean {
  return isMet(field.only ?? [], values);
}

/** The values without fields that do not go with the others: the server refuses them. */
export function onlyUseful<T extends Values>(fields: FieldDescriptions, values: T): Partial<T> {
  const kept = Object.entries(values).filter(([name]) => {
    const field = fields[name];
    return field === undefined || goesWith(field, values);
  });
  return Object.fromEntries(kept) as Partial<T>;
}

/** Names of the texts that must not be empty, by the values of the others. */
export function neededTexts<F extends FieldDescriptions>(
  fields: F,
  values: Values,
): readonly (keyof F)[] {
  return Object.entries(fields)
    .filter(
      ([, { type, required, needed }]) =>
        type === "text" && (required === true || (needed !== undefined && isMet(needed, values))),
    )
    .map(([name]) => name);
}

/** The values with defaults in the fields that do not go with the others: the server refuses anything else. */
export function withoutUseless<T extends Values>(fields: FieldDescriptions, values: T): T {
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
  if (value === "" && field.required === true) return bad(t("a value is required"), 0);
  if (field.type === "int") {
    const [min, max] = [field.min ?? 0, field.max ?? Number.MAX_SAFE_INTEGER];
    const isWhole = /^-?\d+$/.test(value) && min <= Number(value) && Number(value) <= max;
    return isWhole ? OK : bad(t("a whole number from {min} to {max}", { min, max }), 0);
  }
  if (value === "") return OK;
  if (field.type === "text" && field.max !== undefined && field.max < [...typed].length) {
    return bad(t("at most {max} characters", { max: field.max }), field.max);
  }
  return checkSeconds(value, field);
}
