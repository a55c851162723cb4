// The description of the API that the server serves: an OpenRPC document.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type { Read } from "./schema";

const text = z.string();
const maybe = z.optional(text);
/** JSON Schema, as far as the reference reads it. */
const schema = z.record(text, z.unknown());

const method = z.object({
  name: text,
  summary: text,
  description: maybe,
  params: z.array(
    z.object({ name: text, description: maybe, required: z.optional(z.boolean()), schema }),
  ),
  result: z.object({ schema }),
  /** "anybody", or the least kind of user */
  "x-role": text,
  examples: z.optional(
    z.array(
      z.object({
        name: text,
        "x-params": z.unknown(),
        "x-error": maybe,
        result: z.optional(z.object({ value: z.unknown() })),
      }),
    ),
  ),
});

const reference = z.object({
  info: z.object({ version: text }),
  methods: z.array(method),
  components: z.object({
    schemas: z.record(text, schema),
    /** of an object with the name of its schema */
    tags: z.record(text, z.object({ name: text, description: maybe, "x-type": maybe })),
  }),
});

export type Schema = Read<typeof schema>;
export type Reference = Read<typeof reference>;
export type ReferenceMethod = Read<typeof method>;
export type ReferenceParam = ReferenceMethod["params"][number];
export type ReferenceExample = NonNullable<ReferenceMethod["examples"]>[number];
export type ReferenceTag = Reference["components"]["tags"][string];

export async function fetchReference(signal?: AbortSignal): Promise<Reference> {
  return checked("openrpc", await http("/docs/api/openrpc.json", { signal }), reference);
}
