// Business services and agreements about them.

import * as z from "zod/mini";
import { SERVICE } from "./generated/service";
import { SLA } from "./generated/sla";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import { call } from "./rpc";
import type * as schema from "./schema";
import type { Id } from "./types";

export const SERVICES = objectsOf(SERVICE, {
  output: [
    "serviceid",
    "name",
    "algorithm",
    "sortorder",
    "weight",
    "propagation_rule",
    "propagation_value",
    "description",
    "readonly",
  ],
  selects: {
    parents: ["serviceid", "name"],
    children: ["serviceid", "name"],
    tags: "extend",
    problem_tags: "extend",
    status_rules: "extend",
  },
});

export type Service = AnswerOf<typeof SERVICES>;
export type ServiceName = Service["parents"][number];
export type ConditionTag = Service["problem_tags"][number];
export type StatusRule = Service["status_rules"][number];
export type ServiceDraft = DraftOf<"service">;

/** "-1" is OK, else a severity. */
export type ServiceStatus = string;

/** Services as lines of a tree. */
const ROWS = readerOf(SERVICE, {
  output: ["serviceid", "name", "status", "sortorder", "readonly", "created_at"],
  selects: { parents: ["serviceid"], tags: "extend", problem_events: "extend" },
  params: { sortfield: ["sortorder", "name"] },
});
export type ServiceRow = AnswerOf<typeof ROWS>;

export async function fetchServices(signal?: AbortSignal): Promise<readonly ServiceRow[]> {
  return ROWS.get({}, signal);
}

export const SLAS = objectsOf(SLA, {
  selects: { service_tags: "extend", schedule: "extend", excluded_downtimes: "extend" },
});

export type Sla = AnswerOf<typeof SLAS>;
export type Span = Sla["schedule"][number];
export type SlaDraft = DraftOf<"sla">;

const id = z.pipe(
  z.number(),
  z.transform((it) => String(it)),
);
const indicator = z.object({
  uptime: z.number(),
  downtime: z.number(),
  /** percent; -1: there was nothing to count */
  sli: z.number(),
  error_budget: z.number(),
});
const report = z.object({
  periods: z.array(z.object({ period_from: z.number(), period_to: z.number() })),
  serviceids: z.array(id),
  /** by period, then by service */
  sli: z.array(z.array(indicator)),
});

export type Indicator = schema.Read<typeof indicator>;
export type SlaReport = schema.Read<typeof report>;

export async function fetchReport(
  slaid: Id,
  periods: number,
  signal?: AbortSignal,
): Promise<SlaReport> {
  return call("sla.getsli", { slaid, periods }, report, signal);
}
