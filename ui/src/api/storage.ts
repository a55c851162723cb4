// What history takes on the disk: `GET /api/v1/storage`.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

const number = z.number();
const sums = z.object({ bytes: number, count: number });

const storage = z.object({
  clock: number,
  keeps_history: z.boolean(),
  stores: z.array(z.object({ name: z.string(), is_read: z.boolean() })),
  values: sums,
  trends: sums,
  files: number,
  journal_bytes: number,
  database: z.object({ kind: z.string(), bytes: z.nullable(number) }),
  disk: z.nullable(z.object({ free_bytes: number, total_bytes: number })),
  budget_bytes: z.nullable(number),
  retention: z.object({
    history_s: z.nullable(number),
    trends_s: z.nullable(number),
    expires_history: z.boolean(),
    expires_trends: z.boolean(),
  }),
  classes: z.array(
    z.object({
      kind: z.union([z.literal("values"), z.literal("trends")]),
      days: z.nullable(number),
      files: number,
      bytes: number,
      count: number,
      oldest: z.nullable(number),
      newest: z.nullable(number),
      bytes_per_day: z.nullable(number),
    }),
  ),
  days: z.array(z.object({ clock: number, bytes: z.array(number) })),
  forecast: z.union([
    z.object({ state: z.literal("unknown") }),
    z.object({ state: z.literal("steady"), growth_bytes: number }),
    z.object({
      state: z.literal("full"),
      days: number,
      limit: z.union([z.literal("disk"), z.literal("budget")]),
    }),
  ]),
});

const largest = z.object({
  clock: number,
  seen_bytes: number,
  all_bytes: number,
  is_exact: z.boolean(),
  deleted_bytes: number,
  items: z.array(
    z.object({
      itemid: z.string(),
      name: z.string(),
      key: z.string(),
      hostid: z.string(),
      host: z.string(),
      bytes: number,
      history: z.string(),
      trends: z.string(),
    }),
  ),
  hosts: z.array(z.object({ hostid: z.string(), name: z.string(), bytes: number, items: number })),
});

export type Storage = z.infer<typeof storage>;
export type StorageClass = Storage["classes"][number];
export type Largest = z.infer<typeof largest>;
export type LargestItem = Largest["items"][number];
export type LargestHost = Largest["hosts"][number];

export async function fetchStorage(signal?: AbortSignal): Promise<Storage> {
  return checked("storage", await http("/api/v1/storage", { signal }), storage);
}

export async function fetchLargest(signal?: AbortSignal): Promise<Largest> {
  return checked("storage/largest", await http("/api/v1/storage/largest", { signal }), largest);
}
