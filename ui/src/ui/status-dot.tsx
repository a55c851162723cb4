import classes from "./status-dot.module.css";

export type Tone = "ok" | "bad" | "unsure" | "warn";

/** A state by colour and form: full for good, square for bad, ring for unknown. */
export function StatusDot({ tone, label }: { readonly tone: Tone; readonly label: string }) {
  return <span className={classes["dot"]} data-tone={tone} role="img" aria-label={label} />;
}
