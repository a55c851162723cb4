// Configuration from a file: what the import may do, what it would change, and afterwards what came of it.

import { Button, Checkbox, FileInput } from "@mantine/core";
import { IconFileImport } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import {
  type ImportPreview,
  type ImportReport,
  type ImportRules,
  importFile,
  previewImport,
} from "@/api/native";
import { plural, t } from "@/lib/i18n";
import { itemKindName } from "@/lib/item-types";
import { asDialog } from "@/ui/dialog";
import { FormError } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { May } from "@/ui/rights";
import classes from "./import-dialog.module.css";
import { changesText, ImportDiff } from "./import-diff";

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

/** Opens the dialog; nothing is shown to users who may not import. */
export function ImportButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <May call="configuration.importcompare">
        <Button
          variant="default"
          leftSection={<IconFileImport size={14} />}
          onClick={() => setIsOpen(true)}
        >
          {t("Import")}
        </Button>
      </May>
      <ImportDialog opened={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}

export function ImportDialog({ opened, onClose }: ImportDialogProps) {
  // mounted with the dialog: every opening starts again
  return opened ? <OpenDialog onClose={onClose} /> : null;
}

const OpenDialog = asDialog(OpenDialogBody);

function OpenDialogBody({ onClose }: { readonly onClose: () => void }) {
  const [changed, setChanged] = useState(false);
  return (
    <FormDialog title={t("Import")} size="xl" changed={changed} onClose={onClose}>
      <ImportSteps onClose={onClose} onChanged={setChanged} />
    </FormDialog>
  );
}

interface Source {
  readonly text: string;
  readonly rules: ImportRules;
}

/** A file is chosen, its changes are seen, it is imported. */
interface StepsProps {
  readonly onClose: () => void;
  /** whether a file is chosen that is not imported yet */
  readonly onChanged: (changed: boolean) => void;
}

function ImportSteps({ onClose, onChanged }: StepsProps) {
  const client = useQueryClient();
  const preview = useMutation({
    mutationFn: ({ text, rules }: Source) => previewImport(text, rules),
  });
  const run = useMutation({
    mutationFn: ({ text, rules }: Source) => importFile(text, rules),
    onSuccess: () => {
      onChanged(false);
      void changed(client, "import");
    },
  });
  const source = preview.variables;
  if (run.data !== undefined) return <ImportResult report={run.data} onClose={onClose} />;
  if (preview.data !== undefined && source !== undefined) {
    return (
      <Preview
        preview={preview.data}
        busy={run.isPending}
        error={run.error}
        onBack={() => {
          run.reset();
          preview.reset();
        }}
        onImport={() => run.mutate(source)}
      />
    );
  }
  return (
    <ImportForm
      busy={preview.isPending}
      error={preview.error}
      onFile={(chosen) => {
        preview.reset();
        onChanged(chosen !== null);
      }}
      onCancel={onClose}
      onSource={preview.mutate}
    />
  );
}

interface ImportFormProps {
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onFile: (file: File | null) => void;
  readonly onCancel: () => void;
  readonly onSource: (source: Source) => void;
}

function ImportForm({ busy, error, onFile, onCancel, onSource }: ImportFormProps) {
  const [file, setFile] = useState<File | null>(null);
  const [choice, setChoice] = useState<Choice>({
    createMissing: true,
    updateExisting: true,
    deleteMissing: false,
  });
  const set = (change: Partial<Choice>) => setChoice((old) => ({ ...old, ...change }));
  return (
    <form
      className={classes["form"]}
      aria-label={t("Import")}
      onSubmit={(event) => {
        event.preventDefault();
        void file?.text().then((text) => onSource({ text, rules: rulesOf(choice) }));
      }}
    >
      <FileInput
        label={t("File")}
        description={t(
          "Zabbix's export of templates, hosts, media types, maps or images, 6.0 to 7.4: YAML, JSON or XML",
        )}
        placeholder={t("Choose a file")}
        accept=".yaml,.yml,.json,.xml"
        leftSection={<IconFileImport size={16} />}
        value={file}
        onChange={(chosen) => {
          onFile(chosen);
          setFile(chosen);
        }}
        clearable
        data-autofocus
      />
      <Checkbox
        label={t("Create new")}
        checked={choice.createMissing}
        onChange={(event) => set({ createMissing: event.currentTarget.checked })}
      />
      <Checkbox
        label={t("Update existing")}
        checked={choice.updateExisting}
        onChange={(event) => set({ updateExisting: event.currentTarget.checked })}
      />
      <Checkbox
        label={t("Delete missing: objects that are not in the file")}
        description={t("Items are deleted with their history on all hosts linked to the template.")}
        checked={choice.deleteMissing}
        onChange={(event) => set({ deleteMissing: event.currentTarget.checked })}
      />
      {error === null ? null : <FormError error={error} />}
      <div className={classes["footer"]} data-foot>
        <Button variant="default" onClick={onCancel}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={busy} disabled={file === null}>
          {t("Show changes")}
        </Button>
      </div>
    </form>
  );
}

interface PreviewProps {
  readonly preview: ImportPreview;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onBack: () => void;
  readonly onImport: () => void;
}

function Preview({ preview, busy, error, onBack, onImport }: PreviewProps) {
  return (
    <div className={classes["form"]}>
      <ImportDiff diff={preview.diff} />
      <NotWhole report={preview} />
      {error === null ? null : <FormError error={error} />}
      <div className={classes["footer"]} data-foot>
        <Button variant="default" onClick={onBack}>
          {t("Back")}
        </Button>
        <Button loading={busy} onClick={onImport} data-autofocus>
          {t("Import")}
        </Button>
      </div>
    </div>
  );
}

/** One choice for all kinds, without what the server would refuse. */
function rulesOf({ createMissing, updateExisting, deleteMissing }: Choice): ImportRules {
  const kept = { createMissing, updateExisting };
  const all = { ...kept, deleteMissing };
  return {
    host_groups: kept,
    template_groups: kept,
    templates: kept,
    hosts: kept,
    templateLinkage: { createMissing, deleteMissing },
    valueMaps: all,
    items: all,
    discoveryRules: all,
    triggers: all,
    httptests: all,
    graphs: all,
    templateDashboards: all,
    mediaTypes: kept,
    images: kept,
    maps: kept,
  };
}

interface ImportResultProps {
  readonly report: ImportReport;
  readonly onClose: () => void;
}

export function ImportResult({ report, onClose }: ImportResultProps) {
  const names = [...report.templates, ...report.hosts];
  const changes = changesText(report.changes);
  return (
    <div className={classes["form"]} role="status">
      <p>
        {changes.length === 0
          ? t(
              "Nothing was changed: everything already exists, or these options do not allow the changes.",
            )
          : t("Imported:")}
      </p>
      {names.length === 0 ? null : <p>{few(names)}</p>}
      <ul className={classes["list"]}>
        {changes.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <NotWhole report={report} />
      <div className={classes["footer"]} data-foot>
        <Button onClick={onClose} data-autofocus>
          {t("Close")}
        </Button>
      </div>
    </div>
  );
}

/** What a file has and the server does not use, and items without values. */
function NotWhole({ report }: { readonly report: ImportReport }) {
  const { left_out, not_collected } = report;
  const leftOut = Object.entries(left_out);
  return (
    <>
      {leftOut.length === 0 ? null : (
        <p className="dim">
          {t("Not imported, because Saker does not support it yet:")}{" "}
          {leftOut.map(([what, n]) => `${n} × ${what.replaceAll("_", " ")}`).join(", ")}
        </p>
      )}
      {not_collected.length === 0 ? null : (
        <>
          <p>{t("Without values, because Saker cannot collect these item types yet:")}</p>
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
    </>
  );
}

/** The first names, and how many more. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, MANY).join(", ");
  return names.length > MANY ? `${shown} ${t("and {n} more", { n: names.length - MANY })}` : shown;
}
