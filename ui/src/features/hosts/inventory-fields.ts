// The inventory as data: which fields are shown, what a form of it sends.

import {
  AUTOMATIC,
  DISABLED,
  type HostInventory,
  INVENTORY_FIELDS,
  type InventoryChange,
  type InventoryField,
  type InventoryFieldName,
  type InventoryGroup,
  type InventoryTexts,
  MANUAL,
} from "@/api/inventory";
import { t } from "@/lib/i18n";
import { wordMatcher } from "@/lib/words";

const GROUPS: readonly InventoryGroup[] = [
  "device",
  "software",
  "network",
  "dates",
  "site",
  "contacts",
];

export function groupTitle(group: InventoryGroup): string {
  switch (group) {
    case "device":
      return t("Device");
    case "software":
      return t("Software");
    case "network":
      return t("Network");
    case "dates":
      return t("Dates");
    case "site":
      return t("Site");
    case "contacts":
      return t("Contacts");
  }
}

export function modeName(mode: string): string {
  if (mode === AUTOMATIC) return t("Automatic");
  return mode === MANUAL ? t("Manual") : t("Disabled");
}

export interface FieldGroup {
  readonly group: InventoryGroup;
  readonly fields: readonly InventoryField[];
}

export interface FieldFilter {
  readonly q: string;
  readonly filledOnly: boolean;
}

/** Fields by group, without groups that have none to show. Words are looked for in title, name and text. */
export function selectFields(texts: InventoryTexts, filter: FieldFilter): readonly FieldGroup[] {
  const matches = wordMatcher(filter.q);
  const shown = INVENTORY_FIELDS.filter(({ name, title }) => {
    const text = texts[name] ?? "";
    if (filter.filledOnly && text === "") return false;
    return matches(() => [title, name, text]);
  });
  const groups = GROUPS.map((group) => ({
    group,
    fields: shown.filter((field) => field.group === group),
  }));
  return groups.filter(({ fields }) => fields.length > 0);
}

export interface InventoryDraft {
  readonly mode: string;
  readonly texts: InventoryTexts;
}

/** A field that an item fills is the item's while the mode is automatic. */
export function isFilledByItem(
  inventory: HostInventory,
  mode: string,
  field: InventoryFieldName,
): boolean {
  return mode === AUTOMATIC && inventory.items.has(field);
}

/** Fields that differ from what stands there; those of items are not sent. */
export function changeOf(
  inventory: HostInventory,
  { mode, texts }: InventoryDraft,
): InventoryChange {
  if (mode === DISABLED) return { mode, texts: {} };
  const changed = INVENTORY_FIELDS.map(({ name }) => [name, texts[name] ?? ""] as const).filter(
    ([name, text]) =>
      text !== (inventory.texts[name] ?? "") && !isFilledByItem(inventory, mode, name),
  );
  return { mode, texts: Object.fromEntries(changed) };
}

/** Fields with more characters than they hold. */
export function tooLong(texts: InventoryTexts): readonly InventoryField[] {
  // the server counts characters, not UTF-16 units
  return INVENTORY_FIELDS.filter(({ name, max }) => {
    const text = texts[name] ?? "";
    return text.length > max && [...text].length > max;
  });
}

/** An address that a browser can open: other schemes stay texts. */
export function linkOf(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/i.test(text)) return undefined;
  return URL.canParse(text) ? text : undefined;
}
