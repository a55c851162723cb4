// The description of the API that the server serves: an OpenRPC document.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";

/** JSON Schema, as far as the reference reads it. */
export interface Schema {
  readonly [key: string]: unknown;
}

export interface ReferenceParam {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
  readonly schema: Schema;
}

export interface ReferenceExample {
  readonly name: string;
  readonly "x-params": unknown;
  readonly "x-error"?: string | undefined;
  readonly result?: { readonly value?: unknown } | undefined;
}

export interface ReferenceMethod {
  readonly name: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly params: readonly ReferenceParam[];
  readonly result: { readonly schema: Schema };
  /** "anybody", or the least kind of user */
  readonly "x-role": string;
  readonly examples?: readonly ReferenceExample[] | undefined;
}

export interface ReferenceTag {
  readonly name: string;
  readonly description?: string | undefined;
  /** the name of the object's schema */
  readonly "x-type"?: string | undefined;
}

export interface Reference {
  readonly info: { readonly version: string };
  readonly methods: readonly ReferenceMethod[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly tags: Readonly<Record<string, ReferenceTag>>;
  };
}

const schema: z.ZodMiniType<Schema> = z.record(z.string(), z.unknown());

const reference: z.ZodMiniType<Reference> = z.object({
  info: z.object({ version: z.string() }),
  methods: z.array(
    z.object({
      name: z.string(),
      summary: z.string(),
      description: z.optional(z.string()),
      params: z.array(
        z.object({
          name: z.string(),
          description: z.optional(z.string()),
          required: z.optional(z.boolean()),
          schema,
        }),
      ),
      result: z.object({ schema }),
      "x-role": z.string(),
      examples: z.optional(
        z.array(
          z.object({
            name: z.string(),
            "x-params": z.unknown(),
            "x-error": z.optional(z.string()),
            result: z.optional(z.object({ value: z.unknown() })),
          }),
        ),
      ),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), schema),
    tags: z.record(
      z.string(),
      z.object({
        name: z.string(),
        description: z.optional(z.string()),
        "x-type": z.optional(z.string()),
      }),
    ),
  }),
});

export async function fetchReference(signal?: AbortSignal): Promise<Reference> {
  return checked("openrpc", await http("/docs/api/openrpc.json", { signal }), reference);
}
