// Suggestions below an expression while one types: functions at once, hosts and keys by the server. Down and up
// choose, Tab or Enter take, Escape leaves; without a choice all keys are the field's own.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { searchHolders, searchKeys } from "@/api/items";
import { keys } from "@/api/query-keys";
import {
  type Completable,
  type Completed,
  completableAt,
  complete,
  matchingFunctions,
} from "@/lib/completion";
import { t } from "@/lib/i18n";
import classes from "./expression-field.module.css";

const OFFERED = 8;

export interface Completion {
  readonly choices: readonly string[];
  /** -1: none is chosen */
  readonly chosen: number;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly take: (choice: string) => void;
}

function useChoices(found: Completable | undefined): readonly string[] {
  const host = found?.kind === "key" ? found.host : "";
  const text = found?.text ?? "";
  const asked = found?.kind === "host" || found?.kind === "key";
  const { data } = useQuery({
    queryKey: keys.completions(found?.kind ?? "", host, text),
    queryFn: ({ signal }) =>
      found?.kind === "key"
        ? searchKeys(host, text, OFFERED, signal)
        : searchHolders(text, OFFERED, signal),
    enabled: asked,
    // what was found stays while one types on
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  if (found === undefined) return [];
  const all = asked ? (data ?? []) : matchingFunctions(text, OFFERED);
  // what is written as a whole needs no completion
  return all.filter((it) => it.includes(text) && it !== text);
}

export function useCompletion(
  expression: string,
  caret: number | undefined,
  onTaken: (done: Completed) => void,
): Completion {
  const found = caret === undefined ? undefined : completableAt(expression, caret);
  const [left, setLeft] = useState<string>();
  const [chosen, setChosen] = useState(-1);
  const offered = useChoices(found);
  const choices = left === expression ? [] : offered;
  const at = Math.min(chosen, choices.length - 1);
  const take = (choice: string) => {
    if (found === undefined || caret === undefined) return;
    setChosen(-1);
    onTaken(complete(expression, caret, found, choice));
  };
  const onKey = (event: KeyboardEvent) => {
    if (choices.length === 0) return;
    const choice = choices[at];
    if (event.key === "ArrowDown") setChosen((at + 1) % choices.length);
    else if (event.key === "ArrowUp" && at >= 0) setChosen(at - 1);
    else if ((event.key === "Tab" || event.key === "Enter") && choice !== undefined) take(choice);
    else if (event.key === "Escape") {
      setLeft(expression);
      setChosen(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { choices, chosen: at, onKey, take };
}

export interface SuggestionsProps {
  readonly completion: Completion;
  readonly label: string;
}

export function Suggestions({ completion, label }: SuggestionsProps) {
  const { choices, chosen, take } = completion;
  if (choices.length === 0) return null;
  return (
    <ul className={classes["suggestions"]} aria-label={label}>
      {choices.map((choice, at) => (
        <li key={choice}>
          <button
            type="button"
            tabIndex={-1}
            data-chosen={at === chosen || undefined}
            title={t("Complete to {choice}", { choice })}
            // the field keeps the focus
            onMouseDown={(event) => {
              event.preventDefault();
              take(choice);
            }}
          >
            {choice}
          </button>
        </li>
      ))}
    </ul>
  );
}
