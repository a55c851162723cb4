// Calls for objects that the server describes: one value a kind, made of its description.

import type { ZodMiniType } from "zod/mini";
import {
  type Answer,
  answeredFields,
  type Description,
  type OutputOf,
  type SelectsOf,
  schemaOf,
  selectParams,
  type Wanted,
} from "./described";
import type { Methods } from "./generated/methods";
import type { StoredObject } from "./rights";
import { call, MASS_MS } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

type Params<M extends string> = M extends keyof Methods ? Methods[M]["params"] : never;

/** The parameters that read each object. */
export interface Asked<O, S> {
  /** fields of answers; all if they are not named */
  readonly output?: O;
  /** what is related to it and wanted, by property */
  readonly selects?: S;
  /** further parameters of each call */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Reader<T, N extends string = string> {
  /** the schema of one */
  readonly row: ZodMiniType<T>;
  readonly get: (params: Params<`${N}.get`>, signal?: AbortSignal) => Promise<readonly T[]>;
  /** how many there are of what the parameters select */
  readonly count: (params: Params<`${N}.get`>, signal?: AbortSignal) => Promise<number>;
}

/** Reads objects with these fields and selects. */
export function readerOf<
  const D extends Description,
  const O extends OutputOf<D> = OutputOf<D>,
  const S extends SelectsOf<D> = object,
>(
  described: D,
  { output, selects, params = {} }: Asked<O, S>,
): Reader<Answer<D, O, S>, D["object"]> {
  const names = (output ?? answeredFields(described)) as readonly string[];
  const wanted = (selects ?? {}) as Wanted;
  const row = schemaOf(described, names, wanted) as unknown as ZodMiniType<Answer<D, O, S>>;
  const rows = schema.listOf(row);
  const asked = { output: names, ...selectParams(described, wanted), ...params };
  const method = `${described.object}.get` as keyof Methods;
  return {
    row,
    get: (more, signal) => call(method, { ...asked, ...more }, rows, signal),
    count: async (more, signal) =>
      Number(await call(method, { ...more, countOutput: true }, schema.count, signal)),
  };
}

/** What a reader answers, of each object. */
export type AnswerOf<R> = R extends Reader<infer T, infer _> ? T : never;

/** What creates one object. */
export type DraftOf<N extends string> = Exclude<Params<`${N}.create`>, readonly unknown[]>;

/** Objects as queries read them. */
export interface Readable<T> {
  /** its name in the API */
  readonly object: StoredObject;
  readonly list: (signal?: AbortSignal) => Promise<readonly T[]>;
  /** undefined: there is none with the id, or not for this user */
  readonly one: (id: Id, signal?: AbortSignal) => Promise<T | undefined>;
}

export interface Objects<T, N extends StoredObject> extends Readable<T>, Reader<T, N> {
  readonly object: N;
  readonly create: (draft: DraftOf<N>) => Promise<Id>;
  /** fields that are not given stay as they are */
  readonly update: (id: Id, change: Partial<DraftOf<N>>) => Promise<void>;
  /** the same change of several */
  readonly updateAll: (ids: readonly Id[], change: Partial<DraftOf<N>>) => Promise<void>;
  readonly remove: (ids: readonly Id[]) => Promise<void>;
}

/** Reads and writes objects with these fields and selects; lists are sorted by name. */
export function objectsOf<
  const D extends Description & { readonly object: StoredObject },
  const O extends OutputOf<D> = OutputOf<D>,
  const S extends SelectsOf<D> = object,
>(described: D, asked: Asked<O, S> = {}): Objects<Answer<D, O, S>, D["object"]> {
  const { object, id: idField, ids: idList } = described;
  const { row, get, count } = readerOf(described, {
    ...asked,
    params: { sortfield: "name", ...asked.params },
  });
  const rows = (more: object, signal?: AbortSignal) =>
    get(more as Parameters<typeof get>[0], signal);
  // The methods of an object take what its description says.
  const method = (verb: string) => `${object}.${verb}` as keyof Methods;
  const isFixed = (name: string) => described.fields[name]?.fixed === true;
  const changeable = (change: object) =>
    Object.fromEntries(Object.entries(change).filter(([name]) => !isFixed(name)));
  return {
    object,
    row,
    get,
    count,
    list: (signal) => rows({}, signal),
    one: async (id, signal) => (await rows({ [idList]: [id] }, signal))[0],
    create: async (draft) => {
      const ids = await call(method("create"), draft, schema.createdIds(idList));
      return ids[0] ?? "";
    },
    update: async (id, change) => {
      await call(method("update"), { [idField]: id, ...changeable(change) }, schema.changed);
    },
    updateAll: async (ids, change) => {
      const changes = ids.map((id) => ({ [idField]: id, ...changeable(change) }));
      await call(method("update"), changes, schema.changed, { timeoutMs: MASS_MS });
    },
    remove: async (ids) => {
      await call(method("delete"), ids, schema.changed, { timeoutMs: MASS_MS });
    },
  };
}

/** The objects in a shape that pages use. */
export function readAs<T, U, N extends StoredObject>(
  { row: _, get, list, one, ...calls }: Objects<T, N>,
  read: (it: T) => U,
): Omit<Objects<U, N>, "row"> {
  return {
    ...calls,
    get: async (params, signal) => (await get(params, signal)).map(read),
    list: async (signal) => (await list(signal)).map(read),
    one: async (id, signal) => {
      const found = await one(id, signal);
      return found === undefined ? undefined : read(found);
    },
  };
}
