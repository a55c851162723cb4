// Create or edit an item. Keys, intervals and steps are checked as one types; of inherited items only what
// may differ from the template can be changed.

import { Button, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { HostInterface, Id, Item } from "@/api/types";
import { OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import {
  CALCULATED,
  DEPENDENT,
  ITEM_KINDS,
  itemKind,
  SNMP_AGENT,
  TRAPPER,
  VALUE_TYPES,
} from "@/lib/item-types";
import { CheckedInput } from "@/ui/checked-input";
import { Form, Row, Section } from "@/ui/form";
import { ExpressionField } from "@/widgets/expression-field";
import { KeptNote } from "@/widgets/kept-note";
import { type Owner, useOwner } from "@/widgets/owner";
import { StepsEditor } from "@/widgets/steps/steps-editor";
import { TagEditor } from "@/widgets/tag-editor";
import {
  checkItem,
  draftOfItem,
  fieldsOfItem,
  type ItemFields,
  isItemValid,
  isNumericType,
} from "./item-fields";
import { useItemMutations, useItems, useValueMaps } from "./queries";

export interface ItemFormProps {
  readonly owner: Owner;
  readonly item: Item | undefined;
  readonly onDone: () => void;
}

export function ItemForm({ owner, item, onDone }: ItemFormProps) {
  const [fields, setFields] = useState(() => fieldsOfItem(item));
  const [attempted, setAttempted] = useState(false);
  const details = useOwner(owner);
  const { save, remove } = useItemMutations(onDone);
  const set = (change: Partial<ItemFields>) => setFields((before) => ({ ...before, ...change }));
  const inherited = item !== undefined && item.templateid !== "0" && item.templateid !== "";
  const discovered = item?.flags === "4";
  const locked = inherited || discovered;
  const checks = checkItem(fields);
  const interfaces = details.data?.interfaces ?? [];
  const submit = () => {
    setAttempted(true);
    if (!locked && !isItemValid(fields)) return;
    const interfaceid = interfaceFor(fields, interfaces);
    const draft = draftOfItem(
      { ...fields, interfaceid },
      {
        hostid: item === undefined ? owner.id : undefined,
        inherited: locked,
        onTemplate: owner.kind === "template",
      },
    );
    // a discovered item may be switched only: all else follows its prototype
    const sent = discovered ? { status: fields.enabled ? 0 : 1 } : draft;
    save.mutate({ itemid: item?.itemid, draft: sent });
  };
  return (
    <Form
      label={item === undefined ? t("New item") : t("Item")}
      onSubmit={submit}
      onCancel={onDone}
      submitText={item === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={
        item === undefined || locked ? null : (
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate([item.itemid])}
          >
            {t("Delete item")}
          </Button>
        )
      }
    >
      {inherited ? (
        <KeptNote>
          {t("Inherited from a template: grey fields are changed there, for all of its hosts.")}
        </KeptNote>
      ) : null}
      {discovered ? (
        <KeptNote>{t("Found by discovery: it follows its prototype.")}</KeptNote>
      ) : null}
      <Section title={t("Item")}>
        <CheckedInput
          label={t("Name")}
          value={fields.name}
          onChange={(name) => set({ name })}
          check={() => checks.name}
          required
          disabled={locked}
          showAll={attempted}
        />
        <Row>
          <Select
            label={t("Type")}
            data={typeOptions(fields.type)}
            value={String(fields.type)}
            disabled={locked}
            onChange={(type) => set({ type: Number(type ?? 0) })}
          />
          <Select
            label={t("Type of information")}
            data={VALUE_TYPES.map(({ type, name }) => ({ value: String(type), label: t(name) }))}
            value={String(fields.valueType)}
            disabled={locked}
            onChange={(valueType) => set({ valueType: Number(valueType ?? 3) })}
          />
          {isNumericType(fields.valueType) ? (
            <TextInput
              label={t("Units")}
              placeholder="B, bps, %, s …"
              value={fields.units}
              disabled={locked}
              onChange={(event) => set({ units: event.currentTarget.value })}
            />
          ) : null}
        </Row>
        <CheckedInput
          label={t("Key")}
          value={fields.key}
          onChange={(key) => set({ key })}
          check={checkItemKey}
          placeholder="system.cpu.load[all,avg1]"
          required
          mono
          disabled={locked}
          showAll={attempted}
        />
        <SourceFields
          fields={fields}
          set={set}
          owner={owner}
          itemid={item?.itemid}
          locked={locked}
          attempted={attempted}
        />
        <InterfaceField fields={fields} set={set} owner={owner} interfaces={interfaces} />
        <Row>
          {itemKind(fields.type).polled ? (
            <CheckedInput
              label={t("Update interval")}
              value={fields.delay}
              onChange={(delay) => set({ delay })}
              check={checkInterval}
              description={t("30s, 1m; more after a semicolon: 10s/1-5,09:00-18:00 or wd1-5h9")}
              required
              disabled={discovered}
              showAll={attempted}
            />
          ) : null}
          <CheckedInput
            label={t("Keep history for")}
            value={fields.history}
            onChange={(history) => set({ history })}
            check={checkPeriod}
            disabled={discovered}
            showAll={attempted}
          />
          {isNumericType(fields.valueType) ? (
            <CheckedInput
              label={t("Keep trends for")}
              value={fields.trends}
              onChange={(trends) => set({ trends })}
              check={checkPeriod}
              disabled={discovered}
              showAll={attempted}
            />
          ) : null}
        </Row>
        <ValueMapField fields={fields} set={set} ownerid={owner.id} disabled={locked} />
        <Textarea
          label={t("Description")}
          rows={2}
          value={fields.description}
          disabled={discovered}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Switch
          label={t("Enabled")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Section>
      <Section
        title={t("Preprocessing")}
        hint={t("Steps are applied to each value, in this order.")}
      >
        <StepsEditor
          steps={fields.steps}
          checks={checks.steps}
          onChange={(steps) => set({ steps })}
          disabled={locked}
          showErrors={attempted}
        />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
    </Form>
  );
}

function typeOptions(current: number) {
  return ITEM_KINDS.filter((it) => it.choosable || it.type === current).map(({ type, name }) => ({
    value: String(type),
    label: t(name),
  }));
}

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

const SIMPLE_CHECK = 3;

function fittingInterfaces(type: number, interfaces: readonly HostInterface[]) {
  const { needs } = itemKind(type);
  // simple checks need an address, of whatever kind
  return type === SIMPLE_CHECK ? interfaces : interfaces.filter((it) => it.type === needs);
}

interface FieldsProps {
  readonly fields: ItemFields;
  readonly set: (change: Partial<ItemFields>) => void;
}

interface SourceFieldsProps extends FieldsProps {
  readonly owner: Owner;
  readonly itemid: Id | undefined;
  readonly locked: boolean;
  readonly attempted: boolean;
}

/** What only items of one type have. */
function SourceFields(props: SourceFieldsProps) {
  const { fields, set, owner, itemid, locked, attempted } = props;
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
    return <MasterField {...props} itemid={itemid} />;
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

function MasterField({ fields, set, owner, itemid, locked, attempted }: SourceFieldsProps) {
  const items = useItems(owner.id);
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

function InterfaceField({ fields, set, owner, interfaces }: InterfaceFieldProps) {
  if (owner.kind === "template" || itemKind(fields.type).needs === undefined) return null;
  const fitting = fittingInterfaces(fields.type, interfaces);
  if (fitting.length === 0) {
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

interface ValueMapFieldProps extends FieldsProps {
  readonly ownerid: Id;
  readonly disabled: boolean;
}

function ValueMapField({ fields, set, ownerid, disabled }: ValueMapFieldProps) {
  const maps = useValueMaps(ownerid);
  if ((maps.data ?? []).length === 0) return null;
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
