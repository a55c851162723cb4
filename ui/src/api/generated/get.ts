// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** Which fields are answered: all, or these. The id is always there. */
export type Output<Field extends PropertyKey> = "extend" | readonly Field[];

/** The parameters of all get methods. An object adds its own, such as `hostids`. */
export interface GetParams<Field extends PropertyKey> {
  readonly output?: Output<Field> | undefined;
  /** Answers the number of objects, as a text. */
  readonly countOutput?: boolean | undefined;
  readonly filter?: { readonly [F in Field]?: unknown } & { readonly [own: string]: unknown };
  readonly search?: { readonly [F in Field]?: string | readonly string[] };
  readonly searchByAny?: boolean | undefined;
  readonly searchWildcardsEnabled?: boolean | undefined;
  readonly startSearch?: boolean | undefined;
  readonly excludeSearch?: boolean | undefined;
  readonly sortfield?: string | readonly string[] | undefined;
  readonly sortorder?: "ASC" | "DESC" | readonly ("ASC" | "DESC")[] | undefined;
  readonly limit?: number | undefined;
  /** Answers an object by id instead of a list. */
  readonly preservekeys?: boolean | undefined;
  /** Only what the caller may change. */
  readonly editable?: boolean | undefined;
  readonly [own: string]: unknown;
}
