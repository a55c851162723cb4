// Create or edit an item. Keys, intervals and steps are checked as one types; of inherited items only what
// may differ from the template can be changed.

import { Select, Switch, Textarea, TextInput } from "@mantine/core";
import type { HostInterface, Id, Item, ItemPrototype } from "@/api/types";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import { ITEM_KINDS, isNumeric, itemKind, VALUE_TYPES } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { lockOf } from "@/widgets/lock";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { OriginNote } from "@/widgets/origin-note";
import { useOwner } from "@/widgets/owner";
import { RequestSections } from "@/widgets/request/request-sections";
import { StepsEditor } from "@/widgets/steps/steps-editor";
import { TagEditor } from "@/widgets/tag-editor";
import {
  checkItem,
  draftOfItem,
  fieldsOfItem,
  type ItemFields,
  isItemValid,
  type SentItem,
} from "./item-fields";
import { ItemTest } from "./item-test";
import { itemCalls } from "./queries";
import {
  InterfaceField,
  InventoryLinkField,
  interfaceFor,
  SourceFields,
  ValueMapField,
} from "./source-fields";

export interface ItemFormProps {
  readonly owner: Owner;
  readonly item: Item | ItemPrototype | undefined;
  /** set for prototypes: the rule that they belong to */
  readonly ruleid?: Id | undefined;
  readonly onDone: () => void;
}

export function ItemForm({ owner, item, ruleid, onDone }: ItemFormProps) {
  const details = useOwner(owner);
  const interfaces = details.data?.interfaces ?? [];
  const lock = lockOf(item);
  return (
    <ObjectForm
      calls={itemCalls(owner, ruleid)}
      existing={item && { id: item.itemid, name: item.name }}
      first={() => fieldsOfItem(item)}
      isComplete={(fields, isNew) => (!isNew && lock.locked) || isItemValid(fields)}
      draftOf={(fields, isNew): SentItem => {
        // a discovered item may be switched only: all else follows its prototype
        if (!isNew && lock.discovered) return { status: fields.enabled ? 0 : 1 };
        return draftOfItem(
          { ...fields, interfaceid: interfaceFor(fields, interfaces) },
          {
            hostid: isNew ? owner.id : undefined,
            ruleid,
            inherited: !isNew && lock.locked,
            onTemplate: owner.kind === "template",
          },
        );
      }}
      cloned={({ name }) => ({ name: `${name} (copy)` })}
      isKept={lock.locked}
      onDone={() => onDone()}
    >
      {(parts, isNew) => (
        <ItemSections
          {...parts}
          owner={owner}
          item={isNew ? undefined : item}
          ruleid={ruleid}
          interfaces={interfaces}
        />
      )}
    </ObjectForm>
  );
}

interface ItemSectionsProps
  extends FormParts<ItemFields>,
    Pick<ItemFormProps, "owner" | "item" | "ruleid"> {
  readonly interfaces: readonly HostInterface[];
}

function ItemSections(props: ItemSectionsProps) {
  const { fields, set, attempted, showErrors, owner, item, ruleid, interfaces } = props;
  const { inherited, discovered, locked } = lockOf(item);
  const checks = checkItem(fields);
  return (
    <>
      {item === undefined ? null : (
        <OriginNote
          owner={owner}
          of={{ kind: "item", id: item.itemid }}
          inherited={inherited}
          discovered={discovered}
        />
      )}
      <Section title={ruleid === undefined ? t("Item") : t("Item prototype")}>
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
            data={VALUE_TYPES.map(({ type, name }) => ({ value: String(type), label: name }))}
            value={String(fields.valueType)}
            disabled={locked}
            onChange={(valueType) => set({ valueType: Number(valueType ?? 3) })}
          />
          {isNumeric(fields.valueType) ? (
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
          ruleid={ruleid}
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
          {isNumeric(fields.valueType) ? (
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
        <InventoryLinkField
          fields={fields}
          set={set}
          ofPrototype={ruleid !== undefined}
          disabled={discovered}
        />
        <Textarea
          label={t("Description")}
          rows={2}
          value={fields.description}
          disabled={discovered}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Textarea
          label={t("Notes")}
          description={t("Shown only to users who can edit the host.")}
          rows={2}
          value={fields.notes}
          disabled={discovered}
          onChange={(event) => set({ notes: event.currentTarget.value })}
        />
        <Switch
          label={t("Enabled")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        {ruleid === undefined ? null : (
          <Switch
            label={t("Discover: rows create items")}
            checked={fields.discover}
            onChange={(event) => set({ discover: event.currentTarget.checked })}
          />
        )}
      </Section>
      <RequestSections
        fields={fields}
        set={set}
        locked={locked}
        discovered={discovered}
        attempted={attempted}
      />
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
          actions={
            <ItemTest
              owner={owner}
              item={item}
              ruleid={ruleid}
              fields={fields}
              onIncomplete={showErrors}
            />
          }
        />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
    </>
  );
}

function typeOptions(current: number) {
  return ITEM_KINDS.filter((it) => it.choosable || it.type === current).map(({ type, name }) => ({
    value: String(type),
    label: name,
  }));
}
