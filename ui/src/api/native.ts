// The native surface: overview, columnar snapshots, series, expression check.

import { checked } from "./checked";
import { http } from "./http";
import { decodeLatest, type LatestRow } from "./latest-columns";
import { decodeProblemRow } from "./problem-table";
import * as schema from "./schema";
import type { ExpressionCheck, Id, Overview, Series } from "./types";

export async function fetchOverview(signal?: AbortSignal): Promise<Overview> {
  return decodeOverview(await http("/api/v1/overview", { signal }));
}

export function decodeOverview(answer: unknown): Overview {
  const overview = checked("overview", answer, schema.overview);
  return {
    ...overview,
    worst_problems: overview.worst_problems.flatMap((it) => decodeProblemRow(it) ?? []),
  };
}

export interface LatestQuery {
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  readonly search: string;
  readonly show: "all" | "values" | "unsupported";
  readonly limit: number;
}

export async function fetchLatest(query: LatestQuery, signal?: AbortSignal): Promise<LatestRow[]> {
  const params = new URLSearchParams({ limit: String(query.limit) });
  if (query.hostids.length > 0) params.set("hostids", query.hostids.join(","));
  if (query.groupids.length > 0) params.set("groupids", query.groupids.join(","));
  if (query.search !== "") params.set("search", query.search);
  if (query.show !== "all") params.set("show", query.show);
  return decodeLatest(await http(`/api/v1/latest?${params}`, { signal }));
}

export interface SeriesQuery {
  readonly itemids: readonly Id[];
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  /** 0 as the server finds best, 1 stored values, 2 trends */
  readonly source?: number;
}

export async function fetchSeries(
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<readonly Series[]> {
  const params = new URLSearchParams({
    itemids: query.itemids.join(","),
    from: String(Math.floor(query.from)),
    to: String(Math.ceil(query.to)),
    buckets: String(query.buckets),
    ...(query.source === undefined || query.source === 0 ? {} : { source: String(query.source) }),
  });
  const answer = await http(`/api/v1/series?${params}`, { signal });
  return checked("series", answer, schema.series).series;
}

export type ImportRules = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** What an import did, or would do. */
export type ImportReport = schema.Read<typeof schema.importReport>;
/** With the differences, as configuration.importcompare answers: nothing is done. */
export type ImportPreview = schema.Read<typeof schema.importPreview>;

// a large set of templates is read, checked and linked to all their hosts
const IMPORT_MS = 300_000;

export async function previewImport(source: string, rules: ImportRules): Promise<ImportPreview> {
  const body = { source, rules };
  const request = { method: "POST", body, timeoutMs: IMPORT_MS } as const;
  return checked("import", await http("/api/v1/import/preview", request), schema.importPreview);
}

export async function importFile(source: string, rules: ImportRules): Promise<ImportReport> {
  const body = { source, rules };
  const request = { method: "POST", body, timeoutMs: IMPORT_MS } as const;
  return checked("import", await http("/api/v1/import", request), schema.importReport);
}

export async function checkExpressionOnServer(
  expression: string,
  hostid: Id | undefined,
  signal?: AbortSignal,
): Promise<ExpressionCheck> {
  const body = hostid === undefined ? { expression } : { expression, hostid };
  const answer = await http("/api/v1/check/expression", { method: "POST", body, signal });
  return checked("expression check", answer, schema.expressionCheck);
}
