// Mappings of an icon map as a form has them.

import { INVENTORY_FIELDS } from "@/api/inventory";
import type { IconMap, IconMapDraft, IconMapping } from "@/api/maps";
import { checkName } from "@/lib/check";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface IconMapFields {
  readonly name: string;
  readonly defaultIconid: string;
  readonly mappings: readonly Keyed<IconMapping>[];
}

/** "0": none is picked yet. */
export const NO_ICON = "0";

export function newMapping(): Keyed<IconMapping> {
  return keyed({ inventory_link: "1", expression: "", iconid: NO_ICON });
}

export function fieldsOf(iconMap: IconMap | undefined): IconMapFields {
  return {
    name: iconMap?.name ?? "",
    defaultIconid: iconMap?.default_iconid ?? NO_ICON,
    mappings: iconMap === undefined ? [newMapping()] : iconMap.mappings.map(keyed),
  };
}

export function draftOf({ name, defaultIconid, mappings }: IconMapFields): IconMapDraft {
  return {
    name: name.trim(),
    default_iconid: defaultIconid,
    mappings: mappings.map(({ inventory_link, expression, iconid }) => ({
      inventory_link,
      expression,
      iconid,
    })),
  };
}

/** Whether an earlier line asks the same: the later one would never count. */
export function isRepeated(mappings: readonly IconMapping[], at: number): boolean {
  const it = mappings[at];
  return mappings
    .slice(0, at)
    .some(
      (other) => other.inventory_link === it?.inventory_link && other.expression === it.expression,
    );
}

export function isComplete({ name, defaultIconid, mappings }: IconMapFields): boolean {
  return (
    checkName(name).ok &&
    defaultIconid !== NO_ICON &&
    mappings.length > 0 &&
    mappings.every(
      ({ expression, iconid }, at) =>
        expression !== "" && iconid !== NO_ICON && !isRepeated(mappings, at),
    )
  );
}

/** "OS: ^Linux, Type: @switches" */
export function summary(mappings: readonly IconMapping[]): string {
  return mappings
    .map(({ inventory_link, expression }) => `${fieldTitle(inventory_link)}: ${expression}`)
    .join(", ");
}

export function fieldTitle(link: string): string {
  const field = INVENTORY_FIELDS[Number(link) - 1];
  return field?.title ?? link;
}
