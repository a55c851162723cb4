// Templates from a file: what the import may do, and afterwards what came of it.

import { Button, Checkbox, FileInput, Modal } from "@mantine/core";
import { IconFileImport } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { type ImportReport, importTemplates } from "@/api/native";
import { plural, t } from "@/lib/i18n";
import { itemKindName } from "@/lib/item-types";
import { FormError } from "@/ui/form";
import classes from "./import-dialog.module.css";

const MANY = 8;

interface Choice {
  readonly createMissing: boolean;
  readonly updateExisting: boolean;
  readonly deleteMissing: boolean;
}

export interface ImportDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function ImportDialog({ opened, onClose }: ImportDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={t("Import templates")} size="md">
      {/* mounted with the dialog: every opening begins anew */}
      <ImportForm onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [choice, setChoice] = useState<Choice>({
    createMissing: true,
    updateExisting: true,
    deleteMissing: false,
  });
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: async (chosen: File) => importTemplates(await chosen.text(), rulesOf(choice)),
    onSuccess: () => void changed(client, "import"),
  });
  if (run.data !== undefined) return <ImportResult report={run.data} onClose={onClose} />;
  const set = (change: Partial<Choice>) => setChoice((old) => ({ ...old, ...change }));
  return (
    <form
      className={classes["form"]}
      aria-label={t("Import templates")}
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== null) run.mutate(file);
      }}
    >
      <FileInput
        label={t("File")}
        description={t("Zabbix's export of templates, 7.0 to 7.4: YAML, JSON or XML")}
        placeholder={t("Choose a file")}
        accept=".yaml,.yml,.json,.xml"
        leftSection={<IconFileImport size={16} />}
        value={file}
        onChange={(chosen) => {
          run.reset();
          setFile(chosen);
        }}
        clearable
        data-autofocus
      />
      <Checkbox
        label={t("Create what is missing")}
        checked={choice.createMissing}
        onChange={(event) => set({ createMissing: event.currentTarget.checked })}
      />
      <Checkbox
        label={t("Update what is there")}
        checked={choice.updateExisting}
        onChange={(event) => set({ updateExisting: event.currentTarget.checked })}
      />
      <Checkbox
        label={t("Delete what these templates have and the file does not")}
        description={t("Items go with their history, on all hosts that link the template.")}
        checked={choice.deleteMissing}
        onChange={(event) => set({ deleteMissing: event.currentTarget.checked })}
      />
      {run.error === null ? null : <FormError error={run.error} />}
      <div className={classes["footer"]}>
        <Button variant="default" onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={run.isPending} disabled={file === null}>
          {t("Import")}
        </Button>
      </div>
    </form>
  );
}

/** One choice for all kinds, without what the server would refuse. */
function rulesOf({ createMissing, updateExisting, deleteMissing }: Choice) {
  const kept = { createMissing, updateExisting };
  const all = { ...kept, deleteMissing };
  return {
    host_groups: kept,
    template_groups: kept,
    templates: kept,
    templateLinkage: { createMissing, deleteMissing },
    valueMaps: all,
    items: all,
    discoveryRules: all,
    triggers: all,
    httptests: all,
    graphs: all,
    templateDashboards: all,
  };
}

interface ImportResultProps {
  readonly report: ImportReport;
  readonly onClose: () => void;
}

export function ImportResult({ report, onClose }: ImportResultProps) {
  const { templates, left_out, not_collected } = report;
  const leftOut = Object.entries(left_out);
  return (
    <div className={classes["form"]} role="status">
      <p>
        {templates.length === 0
          ? t("Nothing was imported: the file has no template that these choices allow.")
          : plural(templates.length, "1 template imported:", "{n} templates imported:")}
      </p>
      <ul className={classes["list"]}>
        {templates.slice(0, MANY).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {templates.length > MANY ? <li>{t("{n} more", { n: templates.length - MANY })}</li> : null}
      </ul>
      {leftOut.length === 0 ? null : (
        <p className="dim">
          {t("Not imported, Saker has no place for it yet:")}{" "}
          {leftOut.map(([what, n]) => `${n} × ${what.replaceAll("_", " ")}`).join(", ")}
        </p>
      )}
      {not_collected.length === 0 ? null : (
        <>
          <p>{t("Without values for now, Saker cannot collect these types of items yet:")}</p>
          <ul className={classes["list"]}>
            {not_collected.map(({ type, items, templates: of }) => (
              <li key={type}>
                {itemKindName(type)}: {plural(items, "1 item", "{n} items")}{" "}
                <span className="dim">{few(of)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className={classes["footer"]}>
        <Button onClick={onClose} data-autofocus>
          {t("Close")}
        </Button>
      </div>
    </div>
  );
}

/** The first names, and how many more. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, MANY).join(", ");
  return names.length > MANY ? `${shown} ${t("and {n} more", { n: names.length - MANY })}` : shown;
}
