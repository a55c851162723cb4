// What the program is made of, as the build wrote it down.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type * as schema from "./schema";

const licences = z.array(
  z.object({
    /** of the server, or of the pages */
    from: z.enum(["crate", "npm"]),
    name: z.string(),
    version: z.string(),
    /** as the package says, mostly by SPDX */
    licence: z.string(),
  }),
);

export type Licensed = schema.Read<typeof licences>[number];

export async function fetchLicences(signal?: AbortSignal): Promise<readonly Licensed[]> {
  return checked("licences", await http("/licences.json", { signal }), licences);
}
