// What is wrong with the server right now: `GET /health`.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type * as schema from "./schema";

// of a server that is failing: it answers all the same
const UNAVAILABLE = 503;

/** The database does not work: state in memory continues without it. */
export interface Absence {
  /** seconds since the epoch */
  readonly since: number;
  /** what is stored can be read, changes cannot be saved */
  readonly readable: boolean;
}

const presence = z.object({
  database: z.nullable(z.object({ since: z.number(), answers_reads: z.boolean() })),
});

const health = z.object({
  issues: z.array(
    z.object({
      part: z.string(),
      /** work waits ("degraded"), or a part fails until an operator intervenes ("failing") */
      level: z.string(),
      /** what happened, and what to do where there is something to do */
      message: z.string(),
    }),
  ),
});
export type HealthIssue = schema.Read<typeof health>["issues"][number];

export async function fetchHealthIssues(signal?: AbortSignal): Promise<readonly HealthIssue[]> {
  const answer = await http("/health", { signal, orStatus: UNAVAILABLE });
  return checked("/health", answer, health).issues;
}

/** null: it works */
export async function fetchAbsence(signal?: AbortSignal): Promise<Absence | null> {
  const answer = await http("/health", { signal, orStatus: UNAVAILABLE });
  const { database } = checked("/health", answer, presence);
  return database === null ? null : { since: database.since, readable: database.answers_reads };
}
