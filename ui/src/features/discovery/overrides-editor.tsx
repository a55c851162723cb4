// Overrides in the order in which they are tried; each is edited in a dialog.

import { ActionIcon, Button } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { plural, t } from "@/lib/i18n";
import { moved, withoutAt } from "@/widgets/keyed";
import classes from "./discovery.module.css";
import { meaningOf, newOverride, type OverrideDraft } from "./lld-drafts";
import { OverrideDialog } from "./override-dialog";

export interface OverridesEditorProps {
  readonly overrides: readonly OverrideDraft[];
  readonly onChange: (overrides: readonly OverrideDraft[]) => void;
  readonly disabled: boolean;
}

export function OverridesEditor({ overrides, onChange, disabled }: OverridesEditorProps) {
  const [opened, setOpened] = useState<OverrideDraft | undefined>(undefined);
  const apply = (changed: OverrideDraft) => {
    const known = overrides.some((it) => it.key === changed.key);
    onChange(
      known
        ? overrides.map((it) => (it.key === changed.key ? changed : it))
        : [...overrides, changed],
    );
    setOpened(undefined);
  };
  return (
    <div className={classes["lines"]}>
      {overrides.length === 0 && disabled ? <p className="dim">{t("No overrides.")}</p> : null}
      {overrides.length === 0 ? null : (
        <ol className={classes["overrides"]} aria-label={t("Overrides")}>
          {overrides.map((it, at) => (
            <li key={it.key} className={classes["override"]}>
              <span className={classes["letter"]}>{at + 1}</span>
              <button type="button" className={classes["open"]} onClick={() => setOpened(it)}>
                {it.name}
              </button>
              <span className="dim">{summary(it)}</span>
              {disabled ? null : (
                <Tools
                  name={it.name}
                  isFirst={at === 0}
                  isLast={at === overrides.length - 1}
                  onMove={(by) => onChange(moved(overrides, at, at + by))}
                  onRemove={() => onChange(withoutAt(overrides, at))}
                />
              )}
            </li>
          ))}
        </ol>
      )}
      {disabled ? null : (
        <div>
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() => setOpened(newOverride())}
          >
            {t("Add override")}
          </Button>
        </div>
      )}
      {opened === undefined ? null : (
        <OverrideDialog
          override={opened}
          others={overrides}
          disabled={disabled}
          onApply={apply}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

function summary({ filter, operations, stop }: OverrideDraft): string {
  const rows =
    filter.conditions.length === 0
      ? t("all rows")
      : filter.conditions.length === 1
        ? `${filter.conditions[0]?.macro} ${filter.conditions[0]?.value}`
        : meaningOf(filter);
  const parts = [rows, plural(operations.length, "1 operation", "{n} operations")];
  return [...parts, ...(stop ? [t("then stop")] : [])].join(" · ");
}

interface ToolsProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

function Tools({ name, isFirst, isLast, onMove, onRemove }: ToolsProps) {
  return (
    <span className={classes["tools"]}>
      <ActionIcon
        aria-label={t("Move {name} up", { name })}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={14} />
      </ActionIcon>
      <ActionIcon
        aria-label={t("Move {name} down", { name })}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={14} />
      </ActionIcon>
      <ActionIcon aria-label={t("Remove {name}", { name })} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </span>
  );
}
