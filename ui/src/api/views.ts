// Views of the problem list that a user keeps on the server: filters with a name.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

export interface KeptView {
  readonly name: string;
  readonly search: Readonly<Record<string, unknown>>;
}

const views = z.object({
  views: z.array(z.object({ name: z.string(), search: z.record(z.string(), z.unknown()) })),
});

export async function fetchViews(signal?: AbortSignal): Promise<readonly KeptView[]> {
  return checked("views", await http("/api/v1/views", { signal }), views).views;
}

/** One of the same name is replaced; null forgets it. Gives all that there are then. */
export async function keepView(
  name: string,
  search: KeptView["search"] | null,
): Promise<readonly KeptView[]> {
  const body = { name, search };
  return checked("views", await http("/api/v1/views", { method: "POST", body }), views).views;
}
