// A value within other text: a long value is truncated, its tooltip shows more.

export interface TruncatedProps {
  readonly text: string;
  /** the tooltip's text, if it differs */
  readonly whole?: string;
}

const SHOWN_MAX = 100;
// a tooltip is too small for documents
const TIP_MAX = 2_000;

export function Truncated({ text, whole = text }: TruncatedProps) {
  const isShort = text.length <= SHOWN_MAX;
  if (isShort && text === whole) return text;
  return (
    <span title={whole.slice(0, TIP_MAX)}>{isShort ? text : `${text.slice(0, SHOWN_MAX)}…`}</span>
  );
}
