// Where inherited and discovered objects come from.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type { Id } from "./types";

export interface OriginObject {
  /** rules are items, too */
  readonly kind: "item" | "trigger";
  readonly id: Id;
}

export type PlaceKind =
  | "item"
  | "rule"
  | "rule_prototype"
  | "item_prototype"
  | "trigger"
  | "trigger_prototype";

/** An object on a template; "0" as ids: one that the user may not see. */
export interface Place {
  readonly templateid: Id;
  readonly name: string;
  readonly kind: PlaceKind;
  readonly id: Id;
  readonly ruleid: Id;
}

export interface Discovery {
  readonly ruleid: Id;
  readonly name: string;
  readonly prototypeid: Id;
}

export interface Origin {
  /** the directly linked template first */
  readonly templates: readonly Place[];
  readonly discovered_by: Discovery | null;
}

const origin: z.ZodMiniType<Origin> = z.object({
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

export async function fetchOrigin(
  { kind, id }: OriginObject,
  signal?: AbortSignal,
): Promise<Origin> {
  return checked("origin", await http(`/api/v1/origin?${kind}id=${id}`, { signal }), origin);
}
