// A template as a copy: all that it has, or only its settings.

import { Button, Checkbox, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Template } from "@/api/templates";
import type { Id } from "@/api/types";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { FormError } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { useCloneTemplate } from "./queries";
import classes from "./templates.module.css";

export interface CloneDialogProps {
  readonly template: Pick<Template, "templateid" | "host" | "name">;
  readonly onDone: (created: Id) => void;
  readonly onClose: () => void;
}

function firstFields({ host, name }: CloneDialogProps["template"]) {
  return { host: `${host} copy`, name: name === host ? "" : `${name} (copy)`, whole: true };
}

export const CloneDialog = asDialog(CloneDialogBody);

function CloneDialogBody({ template, onDone, onClose }: CloneDialogProps) {
  const [first] = useState(() => firstFields(template));
  const [host, setHost] = useState(first.host);
  const [name, setName] = useState(first.name);
  const [whole, setWhole] = useState(first.whole);
  const clone = useCloneTemplate(onDone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // the dialog may stand within a form
    event.stopPropagation();
    const to = host.trim();
    if (to === "") return;
    clone.mutate({ template, to, name: name.trim() === "" ? to : name.trim(), whole });
  };
  return (
    <FormDialog
      title={t("Clone “{name}”", { name: template.name })}
      changed={!sameDraft(first, { host, name, whole })}
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate className={classes["clone"]}>
        <TextInput
          label={t("Template name")}
          value={host}
          onChange={(event) => setHost(event.currentTarget.value)}
          error={host.trim() === "" ? t("a name is required") : null}
          withAsterisk
          data-autofocus
        />
        <TextInput
          label={t("Visible name")}
          placeholder={host}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox
          label={t("With all its objects")}
          description={t(
            "Items, triggers, graphs, discovery rules, web scenarios, value maps and dashboards. Without: groups, linked templates, tags and macros only.",
          )}
          checked={whole}
          onChange={(event) => setWhole(event.currentTarget.checked)}
        />
        <p className="dim">{t("Secret macro values are not shown; enter them again.")}</p>
        {clone.error === null ? null : <FormError error={clone.error} />}
        <div className={classes["buttons"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={clone.isPending} disabled={host.trim() === ""}>
            {t("Clone")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}
