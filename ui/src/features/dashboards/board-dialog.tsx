// A dashboard's own settings, and those of its pages: names, slideshow, owner, and who may see it.

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Sharing } from "@/api/dashboards";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { asDialog } from "@/ui/dialog";
import { Row } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { SharingFields } from "@/widgets/sharing";
import classes from "./dashboards.module.css";
import { type BoardDraft, type PageDraft, PERIODS } from "./draft";

const periodName = (seconds: number): string => {
  if (seconds < 60) return t("{n} seconds", { n: seconds });
  if (seconds < 3600) return seconds === 60 ? t("1 minute") : t("{n} minutes", { n: seconds / 60 });
  return t("1 hour");
};

interface PeriodProps {
  readonly label: string;
  readonly value: number;
  readonly usual?: string;
  readonly onChange: (seconds: number) => void;
}

function Period({ label, value, usual, onChange }: PeriodProps) {
  const known = PERIODS.includes(value) || value === 0 ? PERIODS : [...PERIODS, value];
  return (
    <Select
      label={label}
      data={[
        ...(usual === undefined ? [] : [{ value: "0", label: usual }]),
        ...known.map((it) => ({ value: String(it), label: periodName(it) })),
      ]}
      value={String(value)}
      allowDeselect={false}
      onChange={(next) => next !== null && onChange(Number(next))}
    />
  );
}

export interface BoardDialogProps {
  readonly board: BoardDraft;
  /** undefined for templates' dashboards: all users who can see the host can see them */
  readonly sharing: Sharing | undefined;
  readonly onSave: (board: BoardDraft, sharing: Sharing | undefined) => void;
  readonly onClose: () => void;
}

export const BoardDialog = asDialog(BoardDialogBody);

function BoardDialogBody({ board, sharing, onSave, onClose }: BoardDialogProps) {
  const [draft, setDraft] = useState(board);
  const [shared, setShared] = useState(sharing);
  const save = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (draft.name.trim() !== "") onSave(draft, shared);
  };
  return (
    <FormDialog
      title={t("Dashboard properties")}
      size="lg"
      changed={!sameDraft(board, draft) || !sameDraft(sharing, shared)}
      onClose={onClose}
    >
      <form onSubmit={save} className={classes["dialog"]} aria-label={t("Dashboard properties")}>
        <TextInput
          label={t("Name")}
          value={draft.name}
          error={draft.name.trim() === "" ? t("A name is required.") : undefined}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Row>
          <Period
            label={t("Default page display period")}
            value={draft.period}
            onChange={(period) => setDraft({ ...draft, period })}
          />
          <Checkbox
            className={classes["inline"] ?? ""}
            label={t("Start slideshow automatically")}
            checked={draft.autoStart}
            onChange={(event) => setDraft({ ...draft, autoStart: event.currentTarget.checked })}
          />
        </Row>
        {shared === undefined ? null : (
          <SharingFields
            sharing={shared}
            mayGive={SUPER_ADMIN}
            onChange={(change) => setShared({ ...shared, ...change })}
          />
        )}
        <div className={classes["dialogFoot"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit">{t("Apply")}</Button>
        </div>
      </form>
    </FormDialog>
  );
}

export interface PageDialogProps {
  readonly page: PageDraft;
  readonly mayDelete: boolean;
  readonly onSave: (page: PageDraft) => void;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

export const PageDialog = asDialog(PageDialogBody);

function PageDialogBody({ page, mayDelete, onSave, onDelete, onClose }: PageDialogProps) {
  const [draft, setDraft] = useState(page);
  return (
    <FormDialog title={t("Page properties")} changed={!sameDraft(page, draft)} onClose={onClose}>
      <form
        className={classes["dialog"]}
        aria-label={t("Page properties")}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          onSave(draft);
        }}
      >
        <TextInput
          label={t("Name")}
          value={draft.name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Period
          label={t("Page display period")}
          value={draft.period}
          usual={t("As in the dashboard")}
          onChange={(period) => setDraft({ ...draft, period })}
        />
        <div className={classes["dialogFoot"]} data-foot>
          {mayDelete ? (
            <Button variant="subtle" color="red" c="var(--bad-text)" onClick={onDelete}>
              {t("Delete page")}
            </Button>
          ) : null}
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit">{t("Apply")}</Button>
        </div>
      </form>
    </FormDialog>
  );
}
