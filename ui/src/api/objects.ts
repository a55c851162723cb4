// Calls for objects that the server describes: one value a kind, made of its description.

import type { ZodMiniType } from "zod/mini";
import { answeredFields, type Description, schemaOf, selectParams, type Wanted } from "./described";
import type { Methods } from "./generated/methods";
import type { StoredObject } from "./rights";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface ObjectOptions {
  /** fields of answers; all if they are not named */
  readonly output?: readonly string[];
  /** what is related to it and wanted, by property */
  readonly selects?: Wanted;
  readonly sortfield?: string;
}

export interface Objects<T, D, N extends StoredObject = StoredObject> {
  /** its name in the API */
  readonly object: N;
  readonly described: Description;
  readonly list: (signal?: AbortSignal) => Promise<readonly T[]>;
  /** undefined: there is none with the id, or not for this user */
  readonly one: (id: Id, signal?: AbortSignal) => Promise<T | undefined>;
  readonly create: (draft: D) => Promise<Id>;
  /** fields that are not given stay as they are */
  readonly update: (id: Id, change: Partial<D>) => Promise<void>;
  readonly remove: (ids: readonly Id[]) => Promise<void>;
}

/** `T` is an answer, `D` what create takes: both from `generated/`. */
export function objectsOf<T, D, N extends StoredObject>(
  described: Description & { readonly object: N },
  { output = answeredFields(described), selects = {}, sortfield = "name" }: ObjectOptions,
): Objects<T, D, N> {
  const { object, id: idField, ids: idList } = described;
  const row = schema.listOf(schemaOf(described, output, selects) as unknown as ZodMiniType<T>);
  const whole = { output, ...selectParams(described, selects), sortfield };
  // The methods of an object take what its description says.
  const method = (verb: string) => `${object}.${verb}` as keyof Methods;
  return {
    object,
    described,
    list: (signal) => call(method("get"), whole, row, signal),
    one: async (id, signal) =>
      (await call(method("get"), { ...whole, [idList]: [id] }, row, signal))[0],
    create: async (draft) => {
      const ids = await call(method("create"), draft, schema.createdIds(idList));
      return ids[0] ?? "";
    },
    update: async (id, change) => {
      await call(method("update"), { [idField]: id, ...change }, schema.changed);
    },
    remove: async (ids) => {
      await call(method("delete"), ids, schema.changed);
    },
  };
}
