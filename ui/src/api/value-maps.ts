// Value maps of hosts and templates.

import { VALUE_MAP } from "./generated/value-map";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import type { Id } from "./types";

export const VALUE_MAPS = objectsOf(VALUE_MAP, {
  output: ["valuemapid", "name"],
  selects: { mappings: "extend" },
});

export type WholeValueMap = AnswerOf<typeof VALUE_MAPS>;
export type Mapping = WholeValueMap["mappings"][number];
export type ValueMapDraft = Omit<DraftOf<"valuemap">, "hostid">;

export async function fetchValueMapsOf(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly WholeValueMap[]> {
  return VALUE_MAPS.get({ hostids: [ownerid], sortfield: "name" }, signal);
}
