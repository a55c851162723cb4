// The workers of the server: `GET /api/v1/workers`.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

const worker = z.object({
  name: z.string(),
  job: z.string(),
  woken_by: z.string(),
  thread: z.string(),
  turns: z.number(),
  last_turn: z.nullable(z.number()),
  failures: z.number(),
  put_aside: z.number(),
  failing: z.nullable(z.object({ since: z.number(), message: z.string() })),
});

const workers = z.object({ workers: z.array(worker) });

export type Worker = z.infer<typeof worker>;

export async function fetchWorkers(signal?: AbortSignal): Promise<readonly Worker[]> {
  const path = "/api/v1/workers";
  return checked(path, await http(path, { signal }), workers).workers;
}
