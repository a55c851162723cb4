// Create or edit an item. Keys, intervals and steps are checked as one types; of inherited items only what
// may differ from the template can be changed.

import { Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { savedBy } from "@/api/rights";
import type { HostInterface, Id, Item, ItemPrototype } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import { ITEM_KINDS, isNumeric, itemKind, VALUE_TYPES } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { CheckedInput } from "@/ui/checked-input";
import { DeleteButton } from "@/ui/delete-button";
import { Form, Row, Section } from "@/ui/form";
import { lockOf } from "@/widgets/lock";
import { useEdited } from "@/widgets/objects/edited";
import { CloneButton } from "@/widgets/objects/object-form";
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
import { useItemForm } from "./queries";
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
  const [attempted, setAttempted] = useState(false);
  const [isClone, setIsClone] = useState(false);
  const saved = isClone ? undefined : item;
  const details = useOwner(owner);
  const interfaces = details.data?.interfaces ?? [];
  const { save, remove } = useItemForm(owner, ruleid, onDone);
  const { inherited, discovered, locked } = lockOf(saved);
  const edited = useItemFields({ owner, item, saved, ruleid, interfaces, save });
  const { fields, set } = edited;
  const checks = checkItem(fields);
  const [object, what] =
    ruleid === undefined
      ? (["item", t("item")] as const)
      : (["itemprototype", t("item prototype")] as const);
  const submit = () => {
    setAttempted(true);
    if (locked || isItemValid(fields)) edited.submit();
  };
  return (
    <Form
      label={saved === undefined ? t("New {what}", { what }) : what}
      call={savedBy(object, saved === undefined)}
      draft={fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={onDone}
      submitText={saved === undefined ? t("Create") : t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
      extra={
        saved === undefined ? null : (
          <>
            {locked ? null : (
              <DeleteButton
                label={t("Delete {what}", { what })}
                name={saved.name}
                busy={remove.isPending}
                onDelete={() => remove.mutate(saved.itemid)}
              >
                {whatGoes(ruleid)}
              </DeleteButton>
            )}
            <CloneButton
              onClone={() => {
                set({ name: `${fields.name} (copy)` });
                setIsClone(true);
              }}
            />
          </>
        )
      }
    >
      {saved === undefined ? null : (
        <OriginNote
          owner={owner}
          of={{ kind: "item", id: saved.itemid }}
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
          itemid={saved?.itemid}
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
              item={saved}
              ruleid={ruleid}
              fields={fields}
              onIncomplete={() => setAttempted(true)}
            />
          }
        />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
    </Form>
  );
}

interface ItemFieldsProps extends Pick<ItemFormProps, "owner" | "item" | "ruleid"> {
  /** undefined of a new one */
  readonly saved: ItemFormProps["item"];
  readonly interfaces: readonly HostInterface[];
  readonly save: ReturnType<typeof useItemForm>["save"];
}

function useItemFields({ owner, item, saved, ruleid, interfaces, save }: ItemFieldsProps) {
  const { discovered, locked } = lockOf(saved);
  const context = {
    hostid: saved === undefined ? owner.id : undefined,
    ruleid,
    inherited: locked,
    onTemplate: owner.kind === "template",
  };
  // a discovered item may be switched only: all else follows its prototype
  const draftOf = (whole: ItemFields): SentItem =>
    discovered ? { status: whole.enabled ? 0 : 1 } : draftOfItem(whole, context);
  return useEdited({
    server: () => fieldsOfItem(item),
    exists: saved !== undefined,
    onSave: (whole, before) => {
      if (!locked && !isItemValid(whole)) return;
      const draft = draftOf({ ...whole, interfaceid: interfaceFor(whole, interfaces) });
      const sent = saved === undefined ? draft : changedPart(draftOf(before), draft);
      save.mutate({ itemid: saved?.itemid, draft: sent });
    },
  });
}

/** With an item, or with a prototype. */
function whatGoes(ruleid: Id | undefined): string {
  return ruleid === undefined
    ? t("Its history and the triggers that use it are also deleted.")
    : t("Objects discovered from it are also deleted.");
}

function typeOptions(current: number) {
  return ITEM_KINDS.filter((it) => it.choosable || it.type === current).map(({ type, name }) => ({
    value: String(type),
    label: name,
  }));
}
