// Own macros of a host or template to edit, and what is inherited to look at and to override.

import { ActionIcon, Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { GLOBAL_MACRO } from "@/api/generated/global-macro";
import { fetchGlobalMacros, fetchInheritedMacros } from "@/api/macros";
import { keys } from "@/api/query-keys";
import type { Id, Macro } from "@/api/types";
import { t } from "@/lib/i18n";
import { checkMacroName, upperCaseName } from "@/lib/macro";
import { type Keyed, keyed, withAt, withoutAt } from "./keyed";
import classes from "./list-editor.module.css";

export type MacroDraft = Keyed<Macro>;

export interface MacroEditorProps {
  readonly macros: readonly MacroDraft[];
  readonly onChange: (macros: readonly MacroDraft[]) => void;
}

const { SECRET, VAULT } = GLOBAL_MACRO.fields.type.names;

export function newMacro(macro = "", value = ""): MacroDraft {
  return keyed({ macro, value, description: "", type: "0" });
}

export function MacroEditor({ macros, onChange }: MacroEditorProps) {
  return (
    <div className={classes["list"]}>
      {macros.map((macro, at) => (
        <MacroLine
          key={macro.key}
          macro={macro}
          n={at + 1}
          onChange={(change) => onChange(withAt(macros, at, change))}
          onRemove={() => onChange(withoutAt(macros, at))}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...macros, newMacro()])}
        >
          {t("Add macro")}
        </Button>
      </div>
    </div>
  );
}

interface MacroLineProps {
  readonly macro: MacroDraft;
  readonly n: number;
  readonly onChange: (change: Partial<MacroDraft>) => void;
  readonly onRemove: () => void;
}

function MacroLine({ macro, n, onChange, onRemove }: MacroLineProps) {
  const check = checkMacroName(macro.macro);
  const Value = macro.type === SECRET ? PasswordInput : TextInput;
  return (
    <div className={classes["line"]}>
      <TextInput
        aria-label={t("Macro {n}", { n })}
        placeholder="{$NAME}"
        classNames={{ input: "mono" }}
        value={macro.macro}
        error={macro.macro === "" || check.ok ? null : check.message}
        onChange={(event) => onChange({ macro: upperCaseName(event.currentTarget.value) })}
      />
      <Value
        aria-label={t("Value of macro {n}", { n })}
        placeholder={
          macro.type === SECRET && (macro.hostmacroid ?? macro.globalmacroid)
            ? t("unchanged")
            : macro.type === VAULT
              ? "path/to/secret:key"
              : t("value")
        }
        value={macro.value}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
      <Select
        aria-label={t("Type of macro {n}", { n })}
        data={[
          { value: "0", label: t("Text") },
          { value: SECRET, label: t("Secret") },
          { value: VAULT, label: t("Vault") },
        ]}
        value={macro.type}
        maw={90}
        onChange={(type) => onChange({ type: type ?? "0" })}
      />
      <TextInput
        aria-label={t("Description of macro {n}", { n })}
        placeholder={t("description")}
        value={macro.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <ActionIcon aria-label={t("Remove macro {n}", { n })} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

export interface InheritedMacrosProps {
  readonly templateids: readonly Id[];
  readonly own: readonly MacroDraft[];
  readonly onOverride: (macro: Macro) => void;
}

/** Macros that hold here without being written here. */
export function InheritedMacros({ templateids, own, onOverride }: InheritedMacrosProps) {
  const fromTemplates = useQuery({
    queryKey: keys.inheritedMacros(templateids),
    queryFn: ({ signal }) => fetchInheritedMacros(templateids, signal),
    enabled: templateids.length > 0,
  });
  const global = useQuery({
    queryKey: keys.globalMacros,
    queryFn: ({ signal }) => fetchGlobalMacros(signal),
  });
  const rows = useMemo(() => {
    const seen = new Set<string>();
    const all = [
      ...(templateids.length > 0 ? (fromTemplates.data ?? []) : []),
      ...(global.data ?? []).map((macro) => ({ ...macro, from: t("global") })),
    ];
    return all.filter(({ macro }) => !seen.has(macro) && seen.add(macro));
  }, [templateids, fromTemplates.data, global.data]);
  if (rows.length === 0) return <p className="dim">{t("Nothing is inherited.")}</p>;
  const owned = new Set(own.map((macro) => macro.macro));
  return (
    <table className={classes["inherited"]} aria-label={t("Inherited macros")}>
      <thead>
        <tr>
          <th>{t("Macro")}</th>
          <th>{t("Value")}</th>
          <th>{t("From")}</th>
          <th>
            <span className="unseen">{t("Override")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((macro) => (
          <tr key={macro.macro}>
            <td className="mono">{macro.macro}</td>
            <td>{macro.type === SECRET ? "••••••" : macro.value}</td>
            <td className="dim">{macro.from}</td>
            <td>
              {owned.has(macro.macro) ? (
                <span className="dim">{t("overridden here")}</span>
              ) : (
                <Button variant="subtle" size="compact-xs" onClick={() => onOverride(macro)}>
                  {t("Override")}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The macros that a form saves: without empty lines; a secret that was not typed again keeps its value. */
export function cleanMacros(macros: readonly MacroDraft[]) {
  return macros
    .filter(({ macro }) => macro !== "")
    .map(({ hostmacroid, macro, value, type, description }) => ({
      ...(hostmacroid === undefined ? {} : { hostmacroid }),
      macro,
      type,
      description,
      ...(type === SECRET && hostmacroid !== undefined && value === "" ? {} : { value }),
    }));
}
