// What becomes of the tags of one object when those of many are changed.

import type { Tag } from "@/api/types";

export type How = "add" | "replace" | "remove";

const isSame = (a: Tag, b: Tag) => a.tag === b.tag && a.value === b.value;

/** A tag to be removed without a value stands for any value. */
export function changedTags(before: readonly Tag[], how: How, given: readonly Tag[]): Tag[] {
  const own = ({ tag, value }: Tag): Tag => ({ tag, value });
  switch (how) {
    case "replace":
      return given.map(own);
    case "add":
      return [...before, ...given.filter((it) => !before.some((known) => isSame(known, it)))].map(
        own,
      );
    case "remove":
      return before
        .filter(
          (it) =>
            !given.some((gone) => gone.tag === it.tag && (gone.value === "" || isSame(gone, it))),
        )
        .map(own);
    default:
      return how satisfies never;
  }
}
