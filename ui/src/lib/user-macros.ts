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

/** What is known here of the value that a macro will have. */
export type MacroKnowledge =
  | { readonly known: "value"; readonly value: string }
  | { readonly known: "secret" | "byServer" | "nothing" };

/** The definition with the same context holds, else the one without. */
export function macroKnowledge(
  macro: string,
  definitions: readonly MacroDefinition[],
): MacroKnowledge {
  const wanted = parts(macro);
  const named = definitions
    .map((it) => ({ ...it, ...parts(it.macro) }))
    .filter((it) => it.name === wanted.name);
  const exact = named.find((it) => it.context === wanted.context);
  const byPattern = wanted.context !== undefined && named.some((it) => isPattern(it.context));
  if (exact === undefined && byPattern) return { known: "byServer" };
  const found = exact ?? named.find((it) => it.context === undefined);
  if (found === undefined) return { known: "nothing" };
  return found.type === "0" ? { known: "value", value: found.value } : { known: "secret" };
}

function isPattern(context: string | undefined): boolean {
  return context?.startsWith("regex:") === true;
}
