// What is wrong with the server right now: `GET /health`.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

export interface Trouble {
  readonly part: string;
  /** work waits ("degraded"), or something does not work until somebody sees to it ("failing") */
  readonly level: string;
  /** what happened, and what to do where there is something to do */
  readonly message: string;
}

// of a server that is failing: it answers all the same
const UNAVAILABLE = 503;

const health = z.object({
  troubles: z.array(z.object({ part: z.string(), level: z.string(), message: z.string() })),
});

export async function fetchTroubles(signal?: AbortSignal): Promise<readonly Trouble[]> {
  const answer = await http("/health", { signal, orStatus: UNAVAILABLE });
  return checked("/health", answer, health).troubles;
}
