// The inventory of a host, to fill in: all fields on a dense grid, narrowed down by a search.

import { SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { memo, useCallback, useState } from "react";
import {
  AUTOMATIC,
  DISABLED,
  type HostInventory,
  INVENTORY_FIELDS,
  type InventoryField,
  type InventoryFieldName,
  isLong,
  MANUAL,
} from "@/api/inventory";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Form, Section } from "@/ui/form";
import { SearchBox } from "@/ui/search-box";
import { useEdited } from "@/widgets/objects/edited";
import classes from "./inventory.module.css";
import {
  changeOf,
  groupTitle,
  type InventoryDraft,
  isFilledByItem,
  modeName,
  selectFields,
  tooLong,
} from "./inventory-fields";
import { FilledBy } from "./inventory-page";
import { useSaveInventory } from "./queries";

const LINES_MAX = 8;
const MODES = [DISABLED, MANUAL, AUTOMATIC] as const;

/** The mode and the texts: another user may change each of these fields separately. */
type FlatInventory = Readonly<Record<string, string>>;

// no field is called so
const MODE = "";

function flatOf(inventory: HostInventory): FlatInventory {
  // what items fill in is theirs, and goes on changing; who comes here for a host without one wants one
  const mode = inventory.mode === DISABLED ? MANUAL : inventory.mode;
  const own = INVENTORY_FIELDS.filter(({ name }) => !isFilledByItem(inventory, mode, name));
  const texts = own.map(({ name }) => [name, inventory.texts[name] ?? ""]);
  return { ...Object.fromEntries(texts), [MODE]: mode };
}

function draftOf({ [MODE]: mode = MANUAL, ...texts }: FlatInventory): InventoryDraft {
  return { mode, texts };
}

export interface InventoryFormProps {
  readonly hostid: Id;
  readonly inventory: HostInventory;
  readonly onDone: () => void;
}

export function InventoryForm({ hostid, inventory, onDone }: InventoryFormProps) {
  // who comes here for a host without one wants one
  const [q, setQ] = useState("");
  const [shown, setShown] = useState(inventory.texts);
  const save = useSaveInventory(hostid, onDone);
  const edited = useEdited<FlatInventory>({
    server: () => flatOf(inventory),
    exists: true,
    onSave: (whole, before) => {
      const now = draftOf(whole);
      const wrong = now.mode === DISABLED ? [] : tooLong(now.texts);
      if (wrong.length === 0) save.mutate(changeOf({ ...inventory, ...draftOf(before) }, now));
    },
    nameOf: (name) => INVENTORY_FIELDS.find((it) => it.name === name)?.title ?? t("Mode"),
  });
  const { setFields } = edited;
  const draft = draftOf(edited.fields);
  const isOff = draft.mode === DISABLED;
  const setText = useCallback(
    (name: InventoryFieldName, text: string) =>
      setFields((before) => ({ ...before, [name]: text })),
    [setFields],
  );
  const submit = () => {
    if (isOff || tooLong(draft.texts).length === 0) edited.submit();
  };
  const groups = isOff ? [] : selectFields(shown, { q, filledOnly: false });
  return (
    <Form
      label={t("Inventory")}
      call="host.update"
      draft={edited.fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
    >
      <Section title={t("Mode")} hint={modeHint(draft.mode)}>
        <div className={classes["modes"]}>
          <SegmentedControl
            aria-label={t("Mode")}
            value={draft.mode}
            onChange={(mode) => setFields((before) => ({ ...before, [MODE]: mode }))}
            data={MODES.map((mode) => ({ value: mode, label: modeName(mode) }))}
          />
          {isOff ? null : (
            <SearchBox
              value={q}
              onChange={(next) => {
                setQ(next);
                // what is being typed must not take a field away
                setShown(draft.texts);
              }}
              placeholder={t("Search fields and texts")}
            />
          )}
        </div>
        {isOff && Object.keys(inventory.texts).length > 0 ? (
          <p className="bad">{t("Saving deletes the inventory values.")}</p>
        ) : null}
      </Section>
      {groups.map(({ group, fields }) => (
        <Section key={group} title={groupTitle(group)}>
          <div className={classes["grid"]}>
            {fields.map((field) => (
              <FieldInput
                key={field.name}
                hostid={hostid}
                field={field}
                inventory={inventory}
                mode={draft.mode}
                text={draft.texts[field.name] ?? ""}
                onChange={setText}
              />
            ))}
          </div>
        </Section>
      ))}
      {!isOff && groups.length === 0 ? <p className="dim">{t("No field matches.")}</p> : null}
    </Form>
  );
}

function modeHint(mode: string): string {
  if (mode === AUTOMATIC)
    return t(
      "Items fill the inventory fields set in their configuration. Fill in the other fields manually.",
    );
  return mode === MANUAL ? t("Filled in manually.") : t("The host has no inventory.");
}

/** As many lines as the text has, up to some. */
function linesOf(text: string): number {
  return Math.min(text.split("\n").length, LINES_MAX);
}

interface FieldInputProps {
  readonly hostid: Id;
  readonly field: InventoryField;
  readonly inventory: HostInventory;
  readonly mode: string;
  readonly text: string;
  readonly onChange: (name: InventoryFieldName, text: string) => void;
}

// a letter typed in one of seventy renders that one
const FieldInput = memo(function FieldInput(props: FieldInputProps) {
  const { hostid, field, inventory, mode, text, onChange } = props;
  const { name, title, max } = field;
  const item = isFilledByItem(inventory, mode, name) ? inventory.items.get(name) : undefined;
  const isWrong = item === undefined && tooLong({ [name]: text }).length > 0;
  const input = {
    label: title,
    value: item === undefined ? text : (inventory.texts[name] ?? ""),
    readOnly: item !== undefined,
    error: isWrong ? t("at most {max} characters", { max }) : null,
    description: item === undefined ? null : <FilledBy hostid={hostid} item={item} />,
    // in look, too: nothing can be typed here
    classNames: item === undefined ? {} : { input: classes["readOnly"] ?? "" },
    autoComplete: "off",
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(name, event.currentTarget.value),
  };
  return isLong(field) ? (
    <Textarea {...input} className={classes["wide"] ?? ""} rows={linesOf(input.value)} />
  ) : (
    <TextInput {...input} />
  );
});
