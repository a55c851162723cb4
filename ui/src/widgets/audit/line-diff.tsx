// Two values of a field, line by line.

import { diffLines } from "@/lib/diff";
import classes from "./audit.module.css";

export interface LineDiffProps {
  readonly before: string;
  readonly after: string;
}

const SIGNS = { same: " ", gone: "−", new: "+" } as const;

export function LineDiff({ before, after }: LineDiffProps) {
  // lines have no other name than their place
  const lines = diffLines(before, after).map((it, at) => ({ ...it, at }));
  return (
    <pre className={classes["diff"]}>
      {lines.map(({ kind, text, at }) => (
        <span key={at} data-kind={kind}>
          {`${SIGNS[kind]} ${text}\n`}
        </span>
      ))}
    </pre>
  );
}
