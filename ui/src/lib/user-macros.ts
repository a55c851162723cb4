// Which value a user macro has, by the definitions that hold here, nearest first. The server resolves macros
// with regular expressions as context itself; here they only fill in a form.

export interface MacroDefinition {
  readonly macro: string;
  readonly value: string;
  /** 0 text, 1 secret, 2 vault */
  readonly type: string;
}

const PARTS = /^\{\$([^:}]+)(?::(.*))?\}$/s;

function parts(macro: string): { readonly name: string; readonly context: string | undefined } {
  const match = PARTS.exec(macro);
  const context = match?.[2]?.trim();
  const quoted = context?.startsWith('"') === true && context.endsWith('"') && context.length > 1;
  return {
    name: match?.[1] ?? macro,
    context: quoted ? context?.slice(1, -1).replaceAll('\\"', '"') : context,
  };
}

/** The value with the same context, else the one without; undefined: none, or a secret. */
export function macroValue(
  macro: string,
  definitions: readonly MacroDefinition[],
): string | undefined {
  const wanted = parts(macro);
  const named = definitions.filter((it) => parts(it.macro).name === wanted.name);
  const exact = named.find((it) => parts(it.macro).context === wanted.context);
  const found = exact ?? named.find((it) => parts(it.macro).context === undefined);
  return found?.type === "0" ? found.value : undefined;
}
