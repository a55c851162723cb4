// How several conditions are joined, a formula of one's own, and the whole as people read it.

import { Select } from "@mantine/core";
import {
  AND,
  AND_OR,
  checkFormula,
  FORMULA,
  formulaOf,
  isLetter,
  type LetteredCondition,
  OR,
  tokensOf,
} from "@/lib/formula";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { checkOr } from "../objects/fields";
import classes from "./joining.module.css";

export interface Term extends LetteredCondition {
  /** the condition in words */
  readonly text: string;
}

export interface JoiningProps {
  readonly evaltype: string;
  readonly formula: string;
  readonly onChange: (change: { evaltype?: string; formula?: string }) => void;
  readonly terms: readonly Term[];
  /** before the conditions in words: "The action applies to an event if:" */
  readonly intro: string;
  readonly attempted: boolean;
  /** what the server says of the formula */
  readonly refusal: string | undefined;
}

function joinOptions() {
  return [
    { value: AND_OR, label: t("And/Or: any condition of each type") },
    { value: AND, label: t("And: all conditions") },
    { value: OR, label: t("Or: any condition") },
    { value: FORMULA, label: t("Custom expression") },
  ];
}

export function Joining(props: JoiningProps) {
  const { evaltype, formula, onChange, terms, intro, attempted, refusal } = props;
  if (terms.length === 0) return null;
  const letters = terms.map(({ formulaid }) => formulaid);
  return (
    <>
      {terms.length < 2 && evaltype !== FORMULA ? null : (
        <Select
          label={t("Type of calculation")}
          data={joinOptions()}
          value={evaltype}
          allowDeselect={false}
          onChange={(next) =>
            onChange({
              evaltype: next ?? AND_OR,
              // what they were joined by is where one goes on from
              ...(next === FORMULA && formula === ""
                ? { formula: formulaOf(evaltype, "", terms) }
                : {}),
            })
          }
        />
      )}
      {evaltype === FORMULA ? (
        <CheckedInput
          label={t("Formula")}
          description={t("condition letters with and, or, not and parentheses")}
          value={formula}
          onChange={(next) => onChange({ formula: next })}
          check={checkOr(refusal, (text) => checkFormula(text, letters))}
          showAll={attempted}
          mono
        />
      ) : null}
      <Meaning {...{ evaltype, formula, terms, intro }} />
    </>
  );
}

/** The conditions in words, joined as they will be. */
function Meaning(props: Pick<JoiningProps, "evaltype" | "formula" | "terms" | "intro">) {
  const { evaltype, formula, terms, intro } = props;
  const tokens = tokensOf(formulaOf(evaltype, formula, terms));
  if (tokens === undefined) return null;
  const texts = new Map(terms.map(({ formulaid, text }) => [formulaid, text]));
  const parts = tokens.map((token, at) => ({ token, key: `${at} ${token}` }));
  return (
    <p className={classes["meaning"]}>
      <span className="dim">{intro}</span>{" "}
      {parts.map(({ token, key }) =>
        isLetter(token) ? (
          <span key={key} className={classes["term"]}>
            {texts.get(token) ?? token}
          </span>
        ) : (
          <span key={key} className="dim">{` ${token} `}</span>
        ),
      )}
    </p>
  );
}
