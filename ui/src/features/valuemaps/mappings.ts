// Mappings of a value map as the form and the list show them.

import type { Mapping, ValueMapDraft } from "@/api/value-maps";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export type MappingDraft = Keyed<Mapping>;

export interface ValueMapFields {
  readonly name: string;
  readonly mappings: readonly MappingDraft[];
}

const DEFAULT = "5";

export const MAPPING_KINDS = [
  { value: "0", label: t("equals") },
  { value: "1", label: t("is at least") },
  { value: "2", label: t("is at most") },
  { value: "3", label: t("is in range") },
  { value: "4", label: t("matches") },
  { value: DEFAULT, label: t("any other") },
] as const;

export function newMapping(): MappingDraft {
  return keyed({ type: "0", value: "", newvalue: "" });
}

export function hasValue({ type }: Mapping): boolean {
  return type !== DEFAULT;
}

const SIGNS: Readonly<Record<string, string>> = { "1": "≥ ", "2": "≤ ", "4": "~ " };

export function mappingText({ type, value, newvalue }: Mapping): string {
  const what = type === DEFAULT ? t("any other") : `${SIGNS[type] ?? ""}${value}`;
  return `${what} → ${newvalue}`;
}

export function isMapComplete({ name, mappings }: ValueMapFields): boolean {
  return (
    name.trim() !== "" && mappings.length > 0 && mappings.every(({ newvalue }) => newvalue !== "")
  );
}

export function draftOfMap({ name, mappings }: ValueMapFields): ValueMapDraft {
  return {
    name: name.trim(),
    mappings: mappings.map((it) => ({
      type: it.type,
      newvalue: it.newvalue,
      ...(hasValue(it) ? { value: it.value } : {}),
    })),
  };
}
