// Business services and agreements about them, by JSON-RPC.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id, Tag } from "./types";

/** "-1" is OK, else a severity. */
export type ServiceStatus = string;

export interface ConditionTag {
  readonly tag: string;
  /** 0 equals, 2 contains */
  readonly operator: string;
  readonly value: string;
}

export interface StatusRule {
  /** 0 to 3: at least N children, at least N percent, less than N, less than N percent; 4 to 7 by weight */
  readonly type: string;
  readonly limit_value: string;
  readonly limit_status: ServiceStatus;
  readonly new_status: ServiceStatus;
}

export interface ServiceRow {
  readonly serviceid: Id;
  readonly name: string;
  readonly status: ServiceStatus;
  readonly sortorder: string;
  readonly readonly: boolean;
  readonly created_at: string;
  readonly parents: readonly { readonly serviceid: Id }[];
  readonly tags: readonly Tag[];
  readonly problem_events: readonly {
    readonly eventid: Id;
    readonly severity: string;
    readonly name: string;
  }[];
}

export interface Service {
  readonly serviceid: Id;
  readonly name: string;
  readonly algorithm: string;
  readonly sortorder: string;
  readonly weight: string;
  readonly propagation_rule: string;
  readonly propagation_value: string;
  readonly description: string;
  readonly readonly: boolean;
  readonly tags: readonly Tag[];
  readonly problem_tags: readonly ConditionTag[];
  readonly parents: readonly ServiceName[];
  readonly children: readonly ServiceName[];
  readonly status_rules: readonly StatusRule[];
}

export interface ServiceName {
  readonly serviceid: Id;
  readonly name: string;
}

export interface ServiceDraft
  extends Omit<Service, "serviceid" | "readonly" | "parents" | "children"> {
  readonly parents: readonly { readonly serviceid: Id }[];
  readonly children: readonly { readonly serviceid: Id }[];
}

const tag: z.ZodMiniType<Tag> = z.object({ tag: z.string(), value: z.string() });
const conditionTag: z.ZodMiniType<ConditionTag> = z.object({
  tag: z.string(),
  operator: z.string(),
  value: z.string(),
});
const serviceName: z.ZodMiniType<ServiceName> = z.object({
  serviceid: z.string(),
  name: z.string(),
});

const serviceRow: z.ZodMiniType<ServiceRow> = z.object({
  serviceid: z.string(),
  name: z.string(),
  status: z.string(),
  sortorder: z.string(),
  readonly: z.boolean(),
  created_at: z.string(),
  parents: z.array(z.object({ serviceid: z.string() })),
  tags: z.array(tag),
  problem_events: z.array(
    z.object({ eventid: z.string(), severity: z.string(), name: z.string() }),
  ),
});

const service: z.ZodMiniType<Service> = z.object({
  serviceid: z.string(),
  name: z.string(),
  algorithm: z.string(),
  sortorder: z.string(),
  weight: z.string(),
  propagation_rule: z.string(),
  propagation_value: z.string(),
  description: z.string(),
  readonly: z.boolean(),
  tags: z.array(tag),
  problem_tags: z.array(conditionTag),
  parents: z.array(serviceName),
  children: z.array(serviceName),
  status_rules: z.array(
    z.object({
      type: z.string(),
      limit_value: z.string(),
      limit_status: z.string(),
      new_status: z.string(),
    }),
  ),
});

export async function fetchServices(signal?: AbortSignal): Promise<readonly ServiceRow[]> {
  return call(
    "service.get",
    {
      output: ["serviceid", "name", "status", "sortorder", "readonly", "created_at"],
      selectParents: ["serviceid"],
      selectTags: "extend",
      selectProblemEvents: "extend",
      sortfield: ["sortorder", "name"],
    },
    schema.listOf(serviceRow),
    signal,
  );
}

export async function fetchService(
  serviceid: Id,
  signal?: AbortSignal,
): Promise<Service | undefined> {
  const found = await call(
    "service.get",
    {
      serviceids: [serviceid],
      output: "extend",
      selectParents: ["serviceid", "name"],
      selectChildren: ["serviceid", "name"],
      selectTags: "extend",
      selectProblemTags: "extend",
      selectStatusRules: "extend",
    },
    schema.listOf(service),
    signal,
  );
  return found[0];
}

export async function createService(draft: ServiceDraft): Promise<Id> {
  const ids = await call("service.create", draft, schema.createdIds("serviceids"));
  return ids[0] ?? "";
}

export async function updateService(serviceid: Id, draft: Partial<ServiceDraft>): Promise<void> {
  await call("service.update", { serviceid, ...draft }, schema.changed);
}

export async function deleteServices(serviceids: readonly Id[]): Promise<void> {
  await call("service.delete", serviceids, schema.changed);
}

export interface Span {
  readonly period_from: string;
  readonly period_to: string;
}

export interface ExcludedDowntime extends Span {
  readonly name: string;
}

export interface Sla {
  readonly slaid: Id;
  readonly name: string;
  /** 0 day, 1 week, 2 month, 3 quarter, 4 year */
  readonly period: string;
  readonly slo: string;
  readonly effective_date: string;
  readonly timezone: string;
  readonly status: string;
  readonly description: string;
  readonly service_tags: readonly ConditionTag[];
  readonly schedule: readonly Span[];
  readonly excluded_downtimes: readonly ExcludedDowntime[];
}

export type SlaDraft = Omit<Sla, "slaid">;

const sla: z.ZodMiniType<Sla> = z.object({
  slaid: z.string(),
  name: z.string(),
  period: z.string(),
  slo: z.string(),
  effective_date: z.string(),
  timezone: z.string(),
  status: z.string(),
  description: z.string(),
  service_tags: z.array(conditionTag),
  schedule: z.array(z.object({ period_from: z.string(), period_to: z.string() })),
  excluded_downtimes: z.array(
    z.object({ name: z.string(), period_from: z.string(), period_to: z.string() }),
  ),
});

async function fetchSlaList(slaids: readonly Id[] | undefined, signal?: AbortSignal) {
  return call(
    "sla.get",
    {
      ...(slaids === undefined ? {} : { slaids }),
      output: "extend",
      selectServiceTags: "extend",
      selectSchedule: "extend",
      selectExcludedDowntimes: "extend",
      sortfield: "name",
    },
    schema.listOf(sla),
    signal,
  );
}

export async function fetchSlas(signal?: AbortSignal): Promise<readonly Sla[]> {
  return fetchSlaList(undefined, signal);
}

export async function fetchSla(slaid: Id, signal?: AbortSignal): Promise<Sla | undefined> {
  return (await fetchSlaList([slaid], signal))[0];
}

export async function createSla(draft: SlaDraft): Promise<Id> {
  const ids = await call("sla.create", draft, schema.createdIds("slaids"));
  return ids[0] ?? "";
}

export async function updateSla(slaid: Id, draft: Partial<SlaDraft>): Promise<void> {
  await call("sla.update", { slaid, ...draft }, schema.changed);
}

export async function deleteSlas(slaids: readonly Id[]): Promise<void> {
  await call("sla.delete", slaids, schema.changed);
}

export interface Indicator {
  readonly uptime: number;
  readonly downtime: number;
  /** percent; -1: there was nothing to count */
  readonly sli: number;
  readonly error_budget: number;
}

export interface SlaReport {
  readonly periods: readonly { readonly period_from: number; readonly period_to: number }[];
  readonly serviceids: readonly Id[];
  /** by period, then by service */
  readonly sli: readonly (readonly Indicator[])[];
}

const report = z.object({
  periods: z.array(z.object({ period_from: z.number(), period_to: z.number() })),
  serviceids: z.array(
    z.pipe(
      z.number(),
      z.transform((id) => String(id)),
    ),
  ),
  sli: z.array(
    z.array(
      z.object({
        uptime: z.number(),
        downtime: z.number(),
        sli: z.number(),
        error_budget: z.number(),
      }),
    ),
  ),
}) as unknown as z.ZodMiniType<SlaReport>;

export async function fetchReport(
  slaid: Id,
  periods: number,
  signal?: AbortSignal,
): Promise<SlaReport> {
  return call("sla.getsli", { slaid, periods }, report, signal);
}
