// LLD macros that are taken from each row by JSONPath.

import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { checkLldMacro } from "@/lib/lld";
import { keyed, withAt, withoutAt } from "@/widgets/keyed";
import classes from "./discovery.module.css";
import type { PathDraft } from "./lld-drafts";

export interface PathsEditorProps {
  readonly paths: readonly PathDraft[];
  readonly onChange: (paths: readonly PathDraft[]) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
}

export function PathsEditor({ paths, onChange, disabled, showErrors }: PathsEditorProps) {
  return (
    <div className={classes["lines"]}>
      {paths.map((line, at) => {
        const check = checkLldMacro(line.lld_macro);
        const n = at + 1;
        const isPath = line.path.trim().startsWith("$");
        return (
          <div key={line.key} className={classes["line"]}>
            <TextInput
              aria-label={t("LLD macro {n}", { n })}
              placeholder="{#MACRO}"
              className={classes["macro"] ?? ""}
              classNames={{ input: "mono" }}
              value={line.lld_macro}
              disabled={disabled}
              error={check.ok || !(showErrors || line.lld_macro !== "") ? null : check.message}
              onChange={(event) =>
                onChange(withAt(paths, at, { lld_macro: event.currentTarget.value.toUpperCase() }))
              }
            />
            <TextInput
              aria-label={t("Path of LLD macro {n}", { n })}
              placeholder="$.path.to.value"
              className={classes["value"] ?? ""}
              classNames={{ input: "mono" }}
              value={line.path}
              disabled={disabled}
              error={
                isPath || !(showErrors || line.path !== "") ? null : t("a JSONPath begins with $")
              }
              onChange={(event) => onChange(withAt(paths, at, { path: event.currentTarget.value }))}
            />
            {disabled ? null : (
              <ActionIcon
                aria-label={t("Remove LLD macro {n}", { n })}
                onClick={() => onChange(withoutAt(paths, at))}
              >
                <IconX size={14} />
              </ActionIcon>
            )}
          </div>
        );
      })}
      {paths.length === 0 && disabled ? <p className="dim">{t("None.")}</p> : null}
      {disabled ? null : (
        <div>
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() => onChange([...paths, keyed({ lld_macro: "", path: "" })])}
          >
            {t("Add LLD macro")}
          </Button>
        </div>
      )}
    </div>
  );
}
