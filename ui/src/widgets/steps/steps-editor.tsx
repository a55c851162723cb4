// Preprocessing steps in order: moved by dragging, by buttons, or by the arrow keys on a step's handle.

import { ActionIcon, Button } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconGripVertical, IconPlus, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { Check } from "@/lib/check";
import { t } from "@/lib/i18n";
import { moved, withAt, withoutAt } from "@/widgets/keyed";
import { newStep, type StepDraft } from "./draft";
import { StepFields } from "./step-fields";
import classes from "./steps.module.css";

export interface StepsEditorProps {
  readonly steps: readonly StepDraft[];
  readonly checks: readonly Check[];
  readonly onChange: (steps: readonly StepDraft[]) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  readonly ofRule?: boolean;
  /** next to the button that adds a step */
  readonly actions?: ReactNode;
}

export function StepsEditor(props: StepsEditorProps) {
  const { steps, checks, onChange, disabled, showErrors, ofRule = false, actions } = props;
  // the list stays as it is until the drop: browsers end a drag whose element moves
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  // moving an element takes its focus away; the handle gets it back
  const [toFocus, setToFocus] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (toFocus === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-step="${toFocus}"] [data-grip]`)?.focus();
    setToFocus(undefined);
  }, [toFocus]);
  const move = (from: number, to: number) => {
    if (to < 0 || to >= steps.length) return;
    onChange(moved(steps, from, to));
    setToFocus(steps[from]?.key);
  };
  return (
    <div>
      {steps.length === 0 && disabled ? <p className="dim">{t("No steps.")}</p> : null}
      <ol ref={list} className={classes["steps"]} aria-label={t("Preprocessing steps")}>
        {steps.map((step, at) => (
          <li
            key={step.key}
            className={classes["step"]}
            data-step={step.key}
            data-dragged={drag?.from === at || undefined}
            data-drop={dropSide(drag, at)}
            onDragOver={(event) => {
              if (drag === undefined) return;
              event.preventDefault();
              if (drag.over !== at) setDrag({ ...drag, over: at });
            }}
            onDrop={(event) => {
              if (drag === undefined) return;
              event.preventDefault();
              setDrag(undefined);
              if (drag.from !== at) move(drag.from, at);
            }}
          >
            <Grip
              n={at + 1}
              disabled={disabled}
              onDrag={(isDragged) => setDrag(isDragged ? { from: at, over: at } : undefined)}
              onMove={(by) => move(at, at + by)}
            />
            <StepFields
              step={step}
              check={checks[at]}
              n={at + 1}
              disabled={disabled}
              showErrors={showErrors}
              ofRule={ofRule}
              onChange={(change) => onChange(withAt(steps, at, change))}
            />
            {disabled ? null : (
              <span className={classes["tools"]}>
                <ActionIcon
                  aria-label={t("Move step {n} up", { n: at + 1 })}
                  disabled={at === 0}
                  onClick={() => move(at, at - 1)}
                >
                  <IconArrowUp size={14} />
                </ActionIcon>
                <ActionIcon
                  aria-label={t("Move step {n} down", { n: at + 1 })}
                  disabled={at === steps.length - 1}
                  onClick={() => move(at, at + 1)}
                >
                  <IconArrowDown size={14} />
                </ActionIcon>
                <ActionIcon
                  aria-label={t("Remove step {n}", { n: at + 1 })}
                  onClick={() => onChange(withoutAt(steps, at))}
                >
                  <IconX size={14} />
                </ActionIcon>
              </span>
            )}
          </li>
        ))}
      </ol>
      <div className={classes["actions"]}>
        {disabled ? null : (
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() => onChange([...steps, newStep()])}
          >
            {t("Add step")}
          </Button>
        )}
        {actions}
      </div>
    </div>
  );
}

interface Drag {
  readonly from: number;
  readonly over: number;
}

/** Where the step would come to lie if it were dropped here. */
function dropSide(drag: Drag | undefined, at: number): "before" | "after" | undefined {
  if (drag === undefined || drag.over !== at || drag.from === at) return undefined;
  return drag.from > at ? "before" : "after";
}

interface GripProps {
  readonly n: number;
  readonly disabled: boolean;
  readonly onDrag: (isDragged: boolean) => void;
  readonly onMove: (by: number) => void;
}

function Grip({ n, disabled, onDrag, onMove }: GripProps) {
  if (disabled) return <span className={classes["number"]}>{n}</span>;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onMove(by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: Firefox drags no buttons
    <span
      role="button"
      tabIndex={0}
      className={classes["grip"]}
      data-grip
      draggable
      title={t("Drag, or move with the arrow keys")}
      aria-label={t("Step {n}: move with the arrow keys", { n })}
      onDragStart={(event) => {
        // Firefox drags nothing without data
        event.dataTransfer.setData("text/plain", String(n));
        event.dataTransfer.effectAllowed = "move";
        onDrag(true);
      }}
      onDragEnd={() => onDrag(false)}
      onKeyDown={onKeyDown}
    >
      <IconGripVertical size={14} aria-hidden />
      {n}
    </span>
  );
}
