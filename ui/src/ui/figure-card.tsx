// A figure with its name and a note, as the overview and system health show them in a row.

import type { ReactNode } from "react";
import classes from "./figure-card.module.css";
import { StatusDot, type Tone } from "./status-dot";

export interface FigureCardProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: Tone;
}

export function FigureCards({ children }: { readonly children: ReactNode }) {
  return <div className={classes["cards"]}>{children}</div>;
}

export function FigureCard({ name, value, note, tone }: FigureCardProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's
    <div className={classes["card"]} role="group" aria-label={name}>
      <span className={classes["name"]}>
        {tone === undefined ? null : <StatusDot tone={tone} label={name} />}
        {name}
      </span>
      <span className={classes["value"]}>{value}</span>
      <span className={classes["note"]}>{note}</span>
    </div>
  );
}
