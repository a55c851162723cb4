// Where inherited and discovered objects come from.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type * as schema from "./schema";
import type { Id } from "./types";

export interface OriginObject {
  /** rules are items, too */
  readonly kind: "item" | "trigger";
  readonly id: Id;
}

const origin = z.object({
  /** the directly linked one first; "0" as ids: an object that the user may not see */
  templates: z.array(
    z.object({
      templateid: z.string(),
      name: z.string(),
      kind: z.enum([
        "item",
        "rule",
        "rule_prototype",
        "item_prototype",
        "trigger",
        "trigger_prototype",
      ]),
      id: z.string(),
      ruleid: z.string(),
    }),
  ),
  discovered_by: z.nullable(
    z.object({ ruleid: z.string(), name: z.string(), prototypeid: z.string() }),
  ),
});

export type Origin = schema.Read<typeof origin>;
/** An object on a template. */
export type Place = Origin["templates"][number];
export type PlaceKind = Place["kind"];
export type Discovery = NonNullable<Origin["discovered_by"]>;

export async function fetchOrigin(
  { kind, id }: OriginObject,
  signal?: AbortSignal,
): Promise<Origin> {
  return checked("origin", await http(`/api/v1/origin?${kind}id=${id}`, { signal }), origin);
}
