// Lists whose lines are added, changed and taken away within a form.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";
import { t } from "@/lib/i18n";
import { type Keyed, moved, withAt, withoutAt } from "../keyed";
import classes from "./lines.module.css";

export interface LinesProps<T extends object> {
  readonly lines: readonly Keyed<T>[];
  readonly onChange: (lines: readonly Keyed<T>[]) => void;
  /** "Add tag" */
  readonly add: string;
  readonly newLine: () => Keyed<T>;
  /** what is wrong with the list as a whole */
  readonly error?: string | undefined;
  /** next to the button that adds */
  readonly extra?: ReactNode;
  readonly children: (line: LineParts<T>) => ReactNode;
}

export interface LineParts<T extends object> {
  readonly line: Keyed<T>;
  /** counted from 1 */
  readonly n: number;
  readonly change: (part: Partial<T>) => void;
  readonly remove: () => void;
  /** where the order counts: a place up (-1) or down (1); undefined at the ends of the list */
  readonly move: (by: -1 | 1) => (() => void) | undefined;
}

/** `children` draws a line, most often as a `Line`. */
export function Lines<T extends object>(props: LinesProps<T>) {
  const { lines, onChange, add, newLine, error, extra, children } = props;
  return (
    <>
      {lines.length === 0 ? null : (
        <div className={classes["lines"]}>
          {lines.map((line, at) => (
            <Fragment key={line.key}>
              {children({
                line,
                n: at + 1,
                change: (part) => onChange(withAt<Keyed<T>>(lines, at, part as Partial<Keyed<T>>)),
                remove: () => onChange(withoutAt(lines, at)),
                move: (by) =>
                  lines[at + by] === undefined
                    ? undefined
                    : () => onChange(moved(lines, at, at + by)),
              })}
            </Fragment>
          ))}
        </div>
      )}
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
      <div className={classes["add"]}>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...lines, newLine()])}
        >
          {add}
        </Button>
        {extra}
      </div>
    </>
  );
}

export interface LineProps {
  /** what the button that takes it away says: "Remove tag 2" */
  readonly remove: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** Fields of one line next to each other, and the button that takes it away. */
export function Line({ remove, onRemove, children }: LineProps) {
  return (
    <div className={classes["line"]}>
      {children}
      <ActionIcon aria-label={remove} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

export interface MoveButtonsProps {
  /** "user 2" */
  readonly what: string;
  readonly move: LineParts<object>["move"];
}

export function MoveButtons({ what, move }: MoveButtonsProps) {
  const [up, down] = [move(-1), move(1)];
  return (
    <>
      <ActionIcon
        aria-label={t("Move {what} up", { what })}
        disabled={up === undefined}
        onClick={up}
      >
        <IconArrowUp size={14} />
      </ActionIcon>
      <ActionIcon
        aria-label={t("Move {what} down", { what })}
        disabled={down === undefined}
        onClick={down}
      >
        <IconArrowDown size={14} />
      </ActionIcon>
    </>
  );
}

export interface TagCondition {
  readonly tag: string;
  readonly operator: string;
  readonly value: string;
}

export interface TagConditionLineProps extends LineParts<TagCondition> {
  /** what one is called in the names of its fields: "tag", "problem tag" */
  readonly what: string;
  readonly operators: readonly { readonly value: string; readonly label: string }[];
  /** of an operator that only asks whether the tag is there: false */
  readonly takesValue?: (operator: string) => boolean;
}

export function TagConditionLine(props: TagConditionLineProps) {
  const { line, n, change, remove, what, operators, takesValue } = props;
  return (
    <Line remove={t("Remove {what} {n}", { what, n })} onRemove={remove}>
      <TextInput
        aria-label={capital(t("{what} {n}", { what, n }))}
        placeholder={t("tag")}
        value={line.tag}
        onChange={(event) => change({ tag: event.currentTarget.value })}
      />
      <Select
        aria-label={t("Operator of {what} {n}", { what, n })}
        data={[...operators]}
        value={line.operator}
        allowDeselect={false}
        onChange={(operator) => change({ operator: operator ?? line.operator })}
      />
      {takesValue?.(line.operator) === false ? (
        <span />
      ) : (
        <TextInput
          aria-label={t("Value of {what} {n}", { what, n })}
          placeholder={t("value")}
          value={line.value}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
      )}
    </Line>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
