// What is typed into the search of problems. The list is asked for with each letter; the address is written with each as
// well, so that a reload or a link has it, but the page around the list takes it over when the typing pauses: drawing that
// with each letter would keep the next one waiting.

import { useCallback, useEffect, useRef, useState } from "react";
import { useLatest } from "@/ui/latest";
import type { ProblemFilter } from "./filter";

const PAUSE_MS = 300;

/** The text in the field, as long as the filter of the page is of one before. */
export class TypedText {
  text: string | undefined;
  private made:
    | { readonly base: ProblemFilter; readonly text: string; readonly filter: ProblemFilter }
    | undefined;

  /** The filter with the text; the same object for the same filter and text. */
  applied<Filter extends ProblemFilter>(base: Filter): ProblemFilter {
    const { text, made } = this;
    if (text === undefined || text === base.text) return base;
    if (made?.base === base && made.text === text) return made.filter;
    const filter = { ...base, text };
    this.made = { base, text, filter };
    return filter;
  }
}

export interface Typing {
  readonly typed: TypedText;
  /** another field begins with what the filter says */
  readonly field: number;
  readonly type: (text: string) => void;
  /** the page takes over what was typed, at once */
  readonly settle: () => void;
  /** what was typed is given up */
  readonly forget: () => void;
}

export interface TypingInput {
  /** of the page's filter */
  readonly text: string;
  /** a letter */
  readonly onType: () => void;
  /** a pause */
  readonly onSettle: () => void;
}

export function useTyping({ text, onType, onSettle }: TypingInput): Typing {
  const [typed] = useState(() => new TypedText());
  const [field, setField] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    // the page has it, or has something else by now; while somebody types on, it is an earlier one
    if (timer.current === undefined) typed.text = undefined;
    else if (typed.text === text) typed.text = undefined;
  }, [text, typed]);
  const settle = useLatest(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    if (typed.text === undefined) return;
    if (typed.text === text) typed.text = undefined;
    else onSettle();
  });
  const type = useLatest((next: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(settle, PAUSE_MS);
    typed.text = next;
    onType();
  });
  const forget = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    typed.text = undefined;
    setField((it) => it + 1);
  }, [typed]);
  return { typed, field, type, settle, forget };
}
