import type { TagPair } from "@/lib/columns";
import { t } from "@/lib/i18n";
import classes from "./tags.module.css";

export interface TagListProps {
  readonly tags: readonly TagPair[];
  /** clicking a tag filters by it */
  readonly onPick?: ((tag: TagPair) => void) | undefined;
  readonly max?: number;
  /** lines instead of one, where there is room */
  readonly wrap?: boolean;
}

export function tagText([tag, value]: TagPair): string {
  return value === "" ? tag : `${tag}: ${value}`;
}

export function TagList({ tags, onPick, max = 4, wrap = false }: TagListProps) {
  const shown = tags.slice(0, max);
  const rest = tags.slice(max);
  return (
    <span className={classes["list"]} data-wrap={wrap || undefined}>
      {shown.map((pair) => {
        const text = tagText(pair);
        return onPick === undefined ? (
          <span key={text} className={classes["tag"]} title={text}>
            {text}
          </span>
        ) : (
          <button
            key={text}
            type="button"
            className={classes["tag"]}
            title={t("Filter by {tag}", { tag: text })}
            onClick={(event) => {
              event.stopPropagation();
              onPick(pair);
            }}
          >
            {text}
          </button>
        );
      })}
      {rest.length === 0 ? null : (
        <span className={classes["more"]} title={rest.map(tagText).join("\n")}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}

export function pairsOf(
  tags: readonly { readonly tag: string; readonly value: string }[],
): TagPair[] {
  return tags.map(({ tag, value }) => [tag, value] as const);
}
