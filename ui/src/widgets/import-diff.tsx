// What an import would change, to be read before anything is done.

import { VisuallyHidden } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { countText, plural, t } from "@/lib/i18n";
import { type Change, type DiffLine, diffLines, type FieldDiff } from "@/lib/import-diff";
import { LineDiff } from "./audit/line-diff";
import classes from "./import-diff.module.css";

const LINE_PX = 24;

export interface ImportDiffProps {
  readonly diff: Readonly<Record<string, unknown>>;
}

export function ImportDiff({ diff }: ImportDiffProps) {
  const lines = useMemo(() => diffLines(diff), [diff]);
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => LINE_PX * (1 + 2 * (lines[at]?.fields.length ?? 0)),
    getItemKey: (at) => lines[at]?.key ?? at,
    overscan: 10,
    initialRect: { width: 800, height: 400 },
  });
  if (lines.length === 0) return <p>{t("Everything already matches the file.")}</p>;
  const counts = CHANGES.map((change) => lines.filter((line) => line.change === change).length);
  return (
    <>
      <p>
        {CHANGES.map((change, at) => `${countText(counts[at] ?? 0)} ${WORDS[change]}`).join(", ")}
      </p>
      <section
        ref={scroller}
        className={classes["scroller"]}
        aria-label={t("Changes")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
        tabIndex={0}
      >
        <ul className={classes["lines"]} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index];
            return line === undefined ? null : (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={classes["line"]}
                style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + 16 * line.depth }}
              >
                <Line line={line} />
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

const CHANGES: readonly Change[] = ["added", "updated", "removed"];
const SIGNS: Readonly<Record<Change, string>> = { added: "+", updated: "~", removed: "−" };
const WORDS: Readonly<Record<Change, string>> = {
  added: t("added"),
  updated: t("updated"),
  removed: t("removed"),
};

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <>
      <span className={classes[line.change]} title={WORDS[line.change]}>
        <span aria-hidden="true">{SIGNS[line.change]}</span>
        <VisuallyHidden>{WORDS[line.change]}</VisuallyHidden>
      </span>{" "}
      <span className="dim">{line.list.replaceAll("_", " ")}</span> {line.name}
      {line.fields.length === 0 ? null : (
        <ul className={classes["fields"]}>
          {line.fields.map((field) => (
            <Field key={field.name} field={field} />
          ))}
        </ul>
      )}
    </>
  );
}

function Field({ field }: { readonly field: FieldDiff }) {
  const { before = "", after = "" } = field;
  if (before.includes("\n") && after.includes("\n")) {
    return (
      <li>
        <span className="dim">{field.name}</span>
        <LineDiff before={before} after={after} />
      </li>
    );
  }
  return (
    <li>
      <span className="dim">{field.name}</span>
      {field.before === undefined ? null : (
        <del className={classes["removed"]}>{field.before === "" ? t("empty") : field.before}</del>
      )}
      {field.after === undefined ? null : (
        <ins className={classes["added"]}>{field.after === "" ? t("empty") : field.after}</ins>
      )}
    </li>
  );
}

/** How many objects of each list. */
export function changesText(changes: Readonly<Record<string, Counts>>): readonly string[] {
  return Object.entries(changes).map(([list, { created, updated, deleted }]) => {
    const parts = [
      created === 0 ? "" : plural(created, "1 created", "{n} created"),
      updated === 0 ? "" : plural(updated, "1 updated", "{n} updated"),
      deleted === 0 ? "" : plural(deleted, "1 deleted", "{n} deleted"),
    ].filter((part) => part !== "");
    return `${list.replaceAll("_", " ")}: ${parts.join(", ")}`;
  });
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}
