// Which value a macro has here, and which ones it hides: own first, then templates from the nearest on, then global.

import type { Macro } from "@/api/types";
import { locale } from "@/lib/i18n";

export type MacroSource =
  | { readonly kind: "own" }
  | { readonly kind: "global" }
  | { readonly kind: "template"; readonly name: string; readonly templateid: string };

export interface LevelMacro {
  readonly macro: string;
  readonly value: string;
  /** 0 text, 1 secret, 2 vault */
  readonly type: string;
  readonly description: string;
  readonly source: MacroSource;
}

export interface EffectiveMacro {
  readonly effective: LevelMacro;
  /** values that do not count here because of it, nearest first */
  readonly hidden: readonly LevelMacro[];
}

export function levelsOf(
  own: readonly Macro[],
  templates: readonly (Macro & { readonly from: string; readonly templateid: string })[],
  global: readonly Macro[],
): readonly LevelMacro[] {
  const level = (macro: Macro, source: MacroSource): LevelMacro => ({
    macro: macro.macro,
    value: macro.value,
    type: macro.type,
    description: macro.description,
    source,
  });
  return [
    ...own.map((it) => level(it, { kind: "own" })),
    ...templates.map((it) =>
      level(it, { kind: "template", name: it.from, templateid: it.templateid }),
    ),
    ...global.map((it) => level(it, { kind: "global" })),
  ];
}

/** By name; the levels come nearest first. */
export function effectiveMacros(levels: readonly LevelMacro[]): readonly EffectiveMacro[] {
  const byName = new Map<string, LevelMacro[]>();
  for (const it of levels) byName.set(it.macro, [...(byName.get(it.macro) ?? []), it]);
  return [...byName.values()]
    .flatMap(([effective, ...hidden]) => (effective === undefined ? [] : [{ effective, hidden }]))
    .sort((a, b) => a.effective.macro.localeCompare(b.effective.macro, locale()));
}
