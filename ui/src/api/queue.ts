// What is late and what checks cost: `GET /api/v1/queue`.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

const number = z.number();
const text = z.string();
const item = {
  itemid: text,
  name: text,
  key: text,
  type: number,
  hostid: text,
  host: text,
};

const queue = z.object({
  clock: number,
  classes_s: z.array(number),
  late: number,
  kinds: z.array(z.object({ type: number, counts: z.array(number) })),
  latest: z.array(z.object({ ...item, due: number, delay_s: number })),
  period_s: number,
  collectors: z.array(
    z.object({
      name: text,
      jobs: number,
      jobs_max: number,
      checks: number,
      timeouts: number,
      busy_s: number,
      failing: number,
    }),
  ),
  devices: z.array(
    z.object({
      hostid: text,
      host: text,
      interfaceid: text,
      address: text,
      collector: text,
      failing: z.boolean(),
      jobs: number,
      checks: number,
      failed: number,
      timeouts: number,
      mean_ms: number,
      max_ms: number,
      share: number,
      slowest: z.nullable(z.object({ itemid: text, name: text, key: text })),
    }),
  ),
  items: z.array(z.object({ ...item, share: number, mean_ms: number, max_ms: number })),
});

export type Queue = z.infer<typeof queue>;
export type LateItem = Queue["latest"][number];
export type QueueDevice = Queue["devices"][number];
export type QueueItem = Queue["items"][number];
export type QueueCollector = Queue["collectors"][number];

export async function fetchQueue(limit: number, signal?: AbortSignal): Promise<Queue> {
  return checked("queue", await http(`/api/v1/queue?limit=${limit}`, { signal }), queue);
}
