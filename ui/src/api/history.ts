// Stored values of items, as they are.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface StoredValue {
  readonly itemid: Id;
  /** seconds; nanoseconds are separate */
  readonly clock: number;
  readonly ns: number;
  readonly value: string;
  /** of log lines; empty of other values */
  readonly source: string;
  readonly severity: string;
  readonly logeventid: string;
  /** seconds that the log itself says; 0: none */
  readonly timestamp: number;
}

const number = z.pipe(
  z.optional(z.union([z.string(), z.number()])),
  z.transform((value) => Number(value ?? 0)),
);
const text = z._default(z.string(), "");

const storedValue: z.ZodMiniType<StoredValue> = z.object({
  itemid: z.string(),
  clock: number,
  ns: number,
  value: z.string(),
  source: text,
  severity: text,
  logeventid: text,
  timestamp: number,
});

export interface ValuesQuery {
  readonly items: readonly { readonly itemid: Id; readonly valueType: number }[];
  /** seconds */
  readonly from: number;
  readonly to: number;
  /** part of a text; numbers are not searched by the server */
  readonly text: string;
  readonly limit: number;
}

const TEXTS = new Set([1, 2, 4]);

/** The newest values of all items together, newest first. */
export async function fetchValues(
  { items, from, to, text: part, limit }: ValuesQuery,
  signal?: AbortSignal,
): Promise<readonly StoredValue[]> {
  const byType = new Map<number, Id[]>();
  for (const { itemid, valueType } of items) {
    byType.set(valueType, [...(byType.get(valueType) ?? []), itemid]);
  }
  const answers = await Promise.all(
    [...byType].map(([history, itemids]) =>
      call(
        "history.get",
        {
          itemids,
          history,
          time_from: Math.floor(from),
          time_till: Math.ceil(to),
          output: "extend",
          ...(part !== "" && TEXTS.has(history) ? { search: { value: part } } : {}),
          sortfield: "clock",
          sortorder: "DESC",
          limit,
        },
        schema.listOf(storedValue),
        signal,
      ),
    ),
  );
  return answers
    .flat()
    .sort((a, b) => b.clock - a.clock || b.ns - a.ns)
    .slice(0, limit);
}
