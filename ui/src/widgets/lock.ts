// What of an item or trigger cannot be changed, because a template or a discovery rule says it.

export interface Lock {
  readonly inherited: boolean;
  readonly discovered: boolean;
  /** either of them: most fields are fixed */
  readonly locked: boolean;
}

const DISCOVERED = "4";

/** A new one is free. */
export function lockOf(
  saved: { readonly templateid: string; readonly flags?: string } | undefined,
): Lock {
  const inherited = saved !== undefined && saved.templateid !== "0" && saved.templateid !== "";
  const discovered = saved?.flags === DISCOVERED;
  return { inherited, discovered, locked: inherited || discovered };
}
