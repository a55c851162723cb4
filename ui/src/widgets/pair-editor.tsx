// Names with values: query fields and headers of requests, parameters of scripts.

import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed, withAt, withoutAt } from "./keyed";
import classes from "./list-editor.module.css";

export interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface PairEditorProps {
  /** what one of them is, "header" */
  readonly what: string;
  readonly pairs: readonly Keyed<Pair>[];
  readonly check: Check;
  readonly disabled: boolean;
  readonly onChange: (pairs: readonly Keyed<Pair>[]) => void;
}

export function PairEditor({ what, pairs, check, disabled, onChange }: PairEditorProps) {
  return (
    <div className={classes["list"]}>
      {pairs.map((pair, at) => (
        <div key={pair.key} className={classes["line"]}>
          <TextInput
            aria-label={t("Name of {what} {n}", { what, n: at + 1 })}
            placeholder={t("name")}
            classNames={{ input: "mono" }}
            value={pair.name}
            disabled={disabled}
            spellCheck={false}
            onChange={(event) => onChange(withAt(pairs, at, { name: event.currentTarget.value }))}
          />
          <TextInput
            aria-label={t("Value of {what} {n}", { what, n: at + 1 })}
            placeholder={t("value")}
            classNames={{ input: "mono" }}
            value={pair.value}
            disabled={disabled}
            spellCheck={false}
            onChange={(event) => onChange(withAt(pairs, at, { value: event.currentTarget.value }))}
          />
          {disabled ? null : (
            <ActionIcon
              aria-label={t("Remove {what} {n}", { what, n: at + 1 })}
              onClick={() => onChange(withoutAt(pairs, at))}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </div>
      ))}
      {check.ok ? null : <p className="bad">{check.message}</p>}
      {disabled ? null : (
        <div>
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() => onChange([...pairs, keyed({ name: "", value: "" })])}
          >
            {t("Add {what}", { what })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Lines left empty are dropped at saving. */
export function cleanPairs(pairs: readonly Pair[]): Pair[] {
  return pairs
    .filter(({ name, value }) => name !== "" || value !== "")
    .map(({ name, value }) => ({ name, value }));
}

export function checkPairs(pairs: readonly Pair[], unique: boolean): Check {
  const names = cleanPairs(pairs).map((it) => it.name);
  if (names.includes("")) return bad(t("a name is required"), 0);
  if (unique && new Set(names).size < names.length) return bad(t("a name is used twice"), 0);
  return OK;
}
