// An expression in colours: functions, hosts and keys, macros, numbers and operators; the place of an error is
// underlined, brackets that belong together are marked.

import { Fragment, useMemo } from "react";
import { bracketsAt, spanAt, type Token, tokensOf } from "@/lib/highlight";
import classes from "./expression-text.module.css";

export interface ExpressionTextProps {
  readonly text: string;
  /** position of what is wrong */
  readonly wrongAt?: number | undefined;
  /** position of the caret, by which brackets are marked */
  readonly caret?: number | undefined;
}

export function ExpressionText({ text, wrongAt, caret }: ExpressionTextProps) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  const wrong = wrongAt === undefined ? undefined : spanAt(tokens, wrongAt);
  const brackets = caret === undefined ? [] : bracketsAt(tokens, caret);
  return (
    <>
      {tokens.map((token) => (
        <Piece
          key={token.from}
          token={token}
          wrong={wrong}
          matched={token.kind === "bracket" && brackets.includes(token.from)}
        />
      ))}
      {wrong !== undefined && wrong[0] >= text.length ? (
        <span className={classes["wrong"]}> </span>
      ) : null}
    </>
  );
}

interface PieceProps {
  readonly token: Token;
  readonly wrong: readonly [number, number] | undefined;
  readonly matched: boolean;
}

function Piece({ token: { kind, text, from }, wrong, matched }: PieceProps) {
  const end = from + text.length;
  const isWrong = wrong !== undefined && wrong[0] < end && wrong[1] > from;
  if (!isWrong && kind === "plain") return <Fragment>{text}</Fragment>;
  const before = isWrong ? Math.max(0, wrong[0] - from) : text.length;
  return (
    <span data-kind={kind} data-matched={matched || undefined} className={classes["piece"]}>
      {text.slice(0, before)}
      {isWrong ? <span className={classes["wrong"]}>{text.slice(before)}</span> : null}
    </span>
  );
}

/** An expression to read. */
export function ExpressionCode({ text }: { readonly text: string }) {
  return (
    <code>
      <ExpressionText text={text} />
    </code>
  );
}
