// What a widget is and shows: its kind, name, refresh and fields.

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import type { Id } from "@/api/types";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { Row } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { FailedState, LoadingState } from "@/ui/states";
import classes from "./dashboards.module.css";
import type { BoardDraft, WidgetDraft } from "./draft";
import { references } from "./draft";
import { FIELD, Fields, newReference, withOne } from "./fields";
import { useKind } from "./kinds";
import { entryOf, REGISTRY } from "./registry";
import { begunFields, SpecField } from "./spec-field";

export interface WidgetDialogProps {
  readonly board: BoardDraft;
  readonly widget: WidgetDraft;
  readonly isNew: boolean;
  readonly ownerid: Id | undefined;
  readonly onSave: (widget: WidgetDraft) => void;
  readonly onClose: () => void;
}

const USUAL = "-1";
const RATES: readonly (readonly [value: string, label: string])[] = [
  [USUAL, t("Default")],
  ["0", t("No refresh")],
  ["10", t("10 seconds")],
  ["30", t("30 seconds")],
  ["60", t("1 minute")],
  ["120", t("2 minutes")],
  ["600", t("10 minutes")],
  ["900", t("15 minutes")],
];

export const WidgetDialog = asDialog(WidgetDialogBody);

function WidgetDialogBody(props: WidgetDialogProps) {
  const { board, widget, isNew, ownerid, onSave, onClose } = props;
  const [first, setFirst] = useState(widget);
  const [draft, setDraft] = useState(widget);
  const kind = useKind(draft.type);
  const specs = kind.data?.fields;
  useEffect(() => {
    if (!isNew || specs === undefined) return;
    const begun = begunFields(specs);
    const begin = (it: WidgetDraft) => (it.fields.length === 0 ? { ...it, fields: begun } : it);
    setFirst(begin);
    setDraft(begin);
  }, [isNew, specs]);
  const fields = new Fields(draft.fields);
  const others = board.pages.flatMap((page) => page.widgets).filter((it) => it.key !== widget.key);
  const sources = others.flatMap((it) => {
    const reference = new Fields(it.fields).text("reference");
    const name = it.name === "" ? (entryOf(it.type)?.name ?? it.type) : it.name;
    const listens =
      it.type === "itemnavigator" || it.type === "honeycomb" || it.type === "hostnavigator";
    return reference === "" || !listens ? [] : [[reference, name] as const];
  });
  const save = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const needed = kind.data?.broadcasts === true && fields.text("reference") === "";
    const own = needed
      ? withOne(draft.fields, FIELD.text, "reference", newReference(references(board)))
      : draft.fields;
    onSave({ ...draft, fields: own });
  };
  const types = Object.entries(REGISTRY).map(([value, it]) => ({ value, label: it.name }));
  const isKnown = draft.type in REGISTRY;
  return (
    <FormDialog
      title={isNew ? t("Add widget") : t("Edit widget")}
      size="lg"
      changed={!sameDraft(first, draft)}
      onClose={onClose}
    >
      <form onSubmit={save} className={classes["dialog"]} aria-label={t("Widget")}>
        <Row>
          <Select
            label={t("Type")}
            data={isKnown ? types : [...types, { value: draft.type, label: draft.type }]}
            value={draft.type}
            allowDeselect={false}
            searchable
            onChange={(type) => {
              // fields of another kind mean something else
              if (type !== null && type !== draft.type) setDraft({ ...draft, type, fields: [] });
            }}
          />
          <TextInput
            label={t("Name")}
            placeholder={entryOf(draft.type)?.name ?? t("default")}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          <Select
            label={t("Refresh interval")}
            data={RATES.map(([value, label]) => ({ value, label }))}
            value={fields.text("rf_rate", USUAL)}
            allowDeselect={false}
            onChange={(rate) =>
              setDraft({
                ...draft,
                fields: withOne(
                  draft.fields,
                  FIELD.number,
                  "rf_rate",
                  rate === null || rate === USUAL ? undefined : rate,
                ),
              })
            }
          />
          <Checkbox
            label={t("Show header")}
            checked={!draft.hideHeader}
            onChange={(event) => setDraft({ ...draft, hideHeader: !event.currentTarget.checked })}
          />
        </Row>
        {kind.isError ? (
          <FailedState error={kind.error} />
        ) : kind.data === undefined && isKnown ? (
          <LoadingState />
        ) : (
          <div className={classes["dialogFields"]}>
            {(specs ?? []).map((spec) => (
              <SpecField
                key={`${draft.type}:${spec.kind}:${spec.name}`}
                spec={spec}
                all={draft.fields}
                onChange={(next) => setDraft((before) => ({ ...before, fields: next }))}
                ownerid={ownerid}
                sources={sources}
              />
            ))}
          </div>
        )}
        <div className={classes["dialogFoot"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit">{isNew ? t("Add") : t("Apply")}</Button>
        </div>
      </form>
    </FormDialog>
  );
}
