// Which of some objects the user may change, by the API's own answer.

import { z } from "zod/mini";
import type { Methods } from "./generated/methods";
import { call } from "./rpc";
import type { Id } from "./types";

export type MethodName = keyof Methods;

/** Objects that are created and changed, by their names in the API. */
export type StoredObject = {
  [M in MethodName]: M extends `${infer O}.update`
    ? `${O}.create` extends MethodName
      ? O
      : never
    : never;
}[MethodName];

/** What saves an object. */
export function savedBy(object: StoredObject, isNew: boolean): MethodName {
  return isNew ? `${object}.create` : `${object}.update`;
}

/** The kinds of objects whose rights differ from one to another: the method that reads them, its list of ids, and the id. */
const KINDS = {
  host: ["host.get", "hostids", "hostid"],
  template: ["template.get", "templateids", "templateid"],
  trigger: ["trigger.get", "triggerids", "triggerid"],
  graph: ["graph.get", "graphids", "graphid"],
  map: ["map.get", "sysmapids", "sysmapid"],
  dashboard: ["dashboard.get", "dashboardids", "dashboardid"],
  service: ["service.get", "serviceids", "serviceid"],
  maintenance: ["maintenance.get", "maintenanceids", "maintenanceid"],
  hostgroup: ["hostgroup.get", "groupids", "groupid"],
  templategroup: ["templategroup.get", "groupids", "groupid"],
} as const satisfies Readonly<Record<string, readonly [keyof Methods, string, string]>>;

const ROWS = z.array(z.looseObject<Readonly<Record<string, unknown>>>({}));

export type RightsKind = keyof typeof KINDS;

/** Of objects with the ids, those that the user may change. */
export async function fetchEditable(
  kind: RightsKind,
  ids: readonly Id[],
  signal?: AbortSignal,
): Promise<ReadonlySet<Id>> {
  const [method, list, id] = KINDS[kind];
  const params = { [list]: ids, output: [id], editable: true };
  const rows = await call(method, params as Methods[typeof method]["params"], ROWS, { signal });
  return new Set(rows.map((row) => String(row[id])));
}
