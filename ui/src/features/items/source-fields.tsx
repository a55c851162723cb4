// Where an item's values come from: what only items of one type have, its interface, its value map.

import { Select } from "@mantine/core";
import { INVENTORY_FIELDS } from "@/api/inventory";
import type { HostInterface, Id } from "@/api/types";
import { OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import {
  CALCULATED,
  DEPENDENT,
  itemKind,
  mayFillInventory,
  mayHaveValueMap,
  SNMP_AGENT,
  TRAPPER,
} from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { CheckedInput } from "@/ui/checked-input";
import { ExpressionField } from "@/widgets/expression-field";
import { checkItem, type ItemFields } from "./item-fields";
import { useMasters, useValueMaps } from "./queries";

/** The chosen interface, or the default one of the kind that the item needs. */
export function interfaceFor(
  fields: Pick<ItemFields, "type" | "interfaceid">,
  interfaces: readonly HostInterface[],
): Id {
  const { needs } = itemKind(fields.type);
  if (needs === undefined) return "0";
  const fitting = fittingInterfaces(fields.type, interfaces);
  const chosen = fitting.find((it) => it.interfaceid === fields.interfaceid);
  const main = fitting.find((it) => it.main === "1") ?? fitting[0];
  return (chosen ?? main)?.interfaceid ?? "0";
}

function fittingInterfaces(type: number, interfaces: readonly HostInterface[]) {
  const { needs } = itemKind(type);
  return needs === "any" ? interfaces : interfaces.filter((it) => it.type === needs);
}

interface FieldsProps {
  readonly fields: ItemFields;
  readonly set: (change: Partial<ItemFields>) => void;
}

interface SourceFieldsProps extends FieldsProps {
  readonly owner: Owner;
  readonly itemid: Id | undefined;
  /** set for prototypes: the rule that they belong to */
  readonly ruleid: Id | undefined;
  readonly locked: boolean;
  readonly attempted: boolean;
}

/** What only items of one type have. */
export function SourceFields(props: SourceFieldsProps) {
  const { fields, set, owner, locked, attempted } = props;
  const checks = checkItem(fields);
  if (fields.type === SNMP_AGENT) {
    return (
      <CheckedInput
        label={t("SNMP OID")}
        value={fields.snmpOid}
        onChange={(snmpOid) => set({ snmpOid })}
        check={() => checks.snmpOid}
        placeholder="1.3.6.1.2.1.1.3.0"
        required
        mono
        disabled={locked}
        showAll={attempted}
      />
    );
  }
  if (fields.type === DEPENDENT) {
    return <MasterField {...props} />;
  }
  if (fields.type === CALCULATED) {
    return (
      <ExpressionField
        label={t("Formula")}
        value={fields.formula}
        onChange={(formula) => set({ formula })}
        hostid={owner.id}
        disabled={locked}
        showAll={attempted}
      />
    );
  }
  if (fields.type === TRAPPER) {
    return (
      <CheckedInput
        label={t("Allowed senders")}
        value={fields.trapperHosts}
        onChange={(trapperHosts) => set({ trapperHosts })}
        check={() => OK}
        placeholder={t("anyone; or addresses, networks, names")}
      />
    );
  }
  return null;
}

function MasterField(props: SourceFieldsProps) {
  const { fields, set, owner, itemid, ruleid, locked, attempted } = props;
  const items = useMasters(owner.id, ruleid);
  const data = (items.data ?? [])
    .filter((it) => it.itemid !== itemid)
    .map((it) => ({ value: it.itemid, label: `${it.name} (${it.key_})` }));
  return (
    <Select
      label={t("Master item")}
      data={data}
      searchable
      limit={100}
      value={fields.masterItemid === "0" ? null : fields.masterItemid}
      disabled={locked}
      withAsterisk
      error={attempted && fields.masterItemid === "0" ? t("a master item is required") : null}
      onChange={(masterItemid) => set({ masterItemid: masterItemid ?? "0" })}
    />
  );
}

interface InterfaceFieldProps extends FieldsProps {
  readonly owner: Owner;
  readonly interfaces: readonly HostInterface[];
}

export function InterfaceField({ fields, set, owner, interfaces }: InterfaceFieldProps) {
  const { needs } = itemKind(fields.type);
  if (owner.kind === "template" || needs === undefined) return null;
  const fitting = fittingInterfaces(fields.type, interfaces);
  if (fitting.length === 0) {
    // their keys may name whom they ask
    if (needs === "any") return null;
    return <p className="bad">{t("The host has no interface for items of this type.")}</p>;
  }
  return (
    <Select
      label={t("Interface")}
      data={fitting.map((it) => ({
        value: it.interfaceid ?? "",
        label: `${it.useip === "1" ? it.ip : it.dns}:${it.port}`,
      }))}
      value={interfaceFor(fields, interfaces)}
      onChange={(interfaceid) => set({ interfaceid: interfaceid ?? "0" })}
    />
  );
}

interface InventoryLinkFieldProps extends FieldsProps {
  readonly ofPrototype: boolean;
  readonly disabled: boolean;
}

export function InventoryLinkField(props: InventoryLinkFieldProps) {
  const { fields, set, ofPrototype, disabled } = props;
  if (ofPrototype || !mayFillInventory(fields.valueType)) return null;
  return (
    <Select
      label={t("Fills inventory field")}
      description={t("On hosts with automatic inventory.")}
      data={[
        { value: "0", label: t("none") },
        ...INVENTORY_FIELDS.map(({ title }, at) => ({ value: String(at + 1), label: title })),
      ]}
      searchable
      value={fields.inventoryLink}
      disabled={disabled}
      onChange={(inventoryLink) => set({ inventoryLink: inventoryLink ?? "0" })}
    />
  );
}

interface ValueMapFieldProps extends FieldsProps {
  readonly ownerid: Id;
  readonly disabled: boolean;
}

export function ValueMapField({ fields, set, ownerid, disabled }: ValueMapFieldProps) {
  const maps = useValueMaps(ownerid);
  if (!mayHaveValueMap(fields.valueType) || (maps.data ?? []).length === 0) return null;
  return (
    <Select
      label={t("Value map")}
      data={[
        { value: "0", label: t("none") },
        ...(maps.data ?? []).map(({ valuemapid, name }) => ({ value: valuemapid, label: name })),
      ]}
      value={fields.valuemapid}
      disabled={disabled}
      onChange={(valuemapid) => set({ valuemapid: valuemapid ?? "0" })}
    />
  );
}
