// What the reference of the API shows, read from its OpenRPC document.

import type { Reference, ReferenceMethod, Schema } from "@/api/reference";
import { t } from "@/lib/i18n";
import { wordMatcher } from "@/lib/words";

export function objectOf(method: string): string {
  return method.slice(0, method.indexOf("."));
}

/** Objects by name, each with its methods. */
export function objectsOf(reference: Reference): ReadonlyMap<string, readonly ReferenceMethod[]> {
  const objects = new Map<string, ReferenceMethod[]>();
  for (const method of reference.methods) {
    const name = objectOf(method.name);
    objects.set(name, [...(objects.get(name) ?? []), method]);
  }
  return objects;
}

/** Methods whose names, sentences or parameters hold the words of a search, names first. */
export function searchMethods(reference: Reference, query: string): readonly ReferenceMethod[] {
  const matches = wordMatcher(query);
  const inName = reference.methods.filter((it) => matches(() => [it.name]));
  const inText = reference.methods.filter(
    (it) =>
      !inName.includes(it) &&
      matches(() => [it.name, it.summary, it.description ?? "", ...it.params.map((p) => p.name)]),
  );
  return [...inName, ...inText];
}

export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

type Schemas = Reference["components"]["schemas"];

function asSchema(value: unknown): Schema | undefined {
  return typeof value === "object" && value !== null ? (value as Schema) : undefined;
}

function schemasIn(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.map(asSchema).filter((it) => it !== undefined) : [];
}

/** What a schema refers to by name; undefined: it stands where it is. */
function referred(schema: Schema): string | undefined {
  const own = schema["$ref"];
  if (typeof own === "string") return own.slice(own.lastIndexOf("/") + 1);
  const [only] = schemasIn(schema["allOf"]);
  return only === undefined ? undefined : referred(only);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))] : [];
}

/** A type in words. */
export function typeText(schema: Schema): string {
  const name = referred(schema);
  if (name !== undefined) return namedType(name);
  const codes = textsIn(schema["enum"]);
  if (codes.length > 0) return codes.join(", ");
  const any = schemasIn(schema["anyOf"]).filter((it) => it["maxItems"] !== 0);
  if (any.length > 0) return [...new Set(any.map(typeText))].join(t(" or "));
  const items = asSchema(schema["items"]);
  if (items !== undefined) return t("list of {what}", { what: typeText(items) });
  return kindText(schema);
}

function namedType(name: string): string {
  switch (name) {
    case "Id":
    case "IdInput":
      return t("id");
    case "Time":
    case "TimeInput":
      return t("time, seconds since 1970");
    default:
      return name.replace(/Input$/, "");
  }
}

function kindText(schema: Schema): string {
  const kinds = typeof schema["type"] === "string" ? [schema["type"]] : textsIn(schema["type"]);
  if (kinds.includes("boolean")) return t("flag");
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  if (minimum !== undefined && maximum !== undefined) {
    return t("whole number, {min}–{max}", { min: minimum, max: maximum });
  }
  if (kinds.includes("integer")) return t("whole number");
  if (kinds.includes("object")) return t("object");
  if (kinds.includes("array")) return t("empty list");
  if (kinds.includes("string")) return t("text");
  return t("anything");
}

/** The schema whose properties are shown below a field: its own, or that of its items or choices. */
function inner(schema: Schema, schemas: Schemas): Schema | undefined {
  const name = referred(schema);
  if (name !== undefined) return asSchema(schemas[name]);
  if (asSchema(schema["properties"]) !== undefined) return schema;
  const below = [asSchema(schema["items"]), ...schemasIn(schema["anyOf"])];
  for (const it of below) {
    const found = it === undefined ? undefined : inner(it, schemas);
    if (found?.["properties"] !== undefined) return found;
  }
  return undefined;
}

// parts of parts are shown, their fields are not
const DEPTH_MAX = 3;

/** One row a field, parts below what holds them. Objects that have a page of their own are named only. */
export function fieldRows(
  fields: readonly { readonly name: string; readonly schema: Schema; readonly required: boolean }[],
  schemas: Schemas,
  ownPages: ReadonlySet<string>,
  prefix = "",
): readonly FieldRow[] {
  return fields.flatMap(({ name, schema, required }) => {
    const type = typeText(schema);
    const text = [schema["description"], defaultText(schema)].filter(Boolean).join(" ");
    const row = { name: prefix + name, type, isRequired: required, text };
    const below = inner(schema, schemas);
    const isOwn = [...ownPages].some((it) => type.includes(it));
    if (below === undefined || isOwn || prefix.split(".").length > DEPTH_MAX) return [row];
    return [row, ...fieldRows(propertiesOf(below), schemas, ownPages, `${prefix}${name}.`)];
  });
}

function defaultText(schema: Schema): string {
  const given = schema["default"];
  return given === undefined ? "" : t("Default: {value}.", { value: String(given) });
}

export function propertiesOf(
  schema: Schema,
): readonly { readonly name: string; readonly schema: Schema; readonly required: boolean }[] {
  const required = textsIn(schema["required"]);
  return Object.entries(asSchema(schema["properties"]) ?? {}).map(([name, it]) => ({
    name,
    schema: asSchema(it) ?? {},
    required: required.includes(name),
  }));
}
