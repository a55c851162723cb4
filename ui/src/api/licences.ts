// What the program is made of, as the build wrote it down.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

export interface Licensed {
  /** of the server, or of the pages */
  readonly from: "crate" | "npm";
  readonly name: string;
  readonly version: string;
  /** as the package says, mostly by SPDX */
  readonly licence: string;
}

const licences: z.ZodMiniType<readonly Licensed[]> = z.array(
  z.object({
    from: z.union([z.literal("crate"), z.literal("npm")]),
    name: z.string(),
    version: z.string(),
    licence: z.string(),
  }),
);

export async function fetchLicences(signal?: AbortSignal): Promise<readonly Licensed[]> {
  return checked("licences", await http("/licences.json", { signal }), licences);
}
