// A value within other text: one that is long shows its beginning, and more of it in its tip.

export interface BriefProps {
  readonly text: string;
  /** what the tip shows, where that differs */
  readonly whole?: string;
}

const SHOWN_MAX = 100;
// tips are no place to read documents
const TIP_MAX = 2_000;

export function Brief({ text, whole = text }: BriefProps) {
  const isShort = text.length <= SHOWN_MAX;
  if (isShort && text === whole) return text;
  return (
    <span title={whole.slice(0, TIP_MAX)}>{isShort ? text : `${text.slice(0, SHOWN_MAX)}…`}</span>
  );
}
