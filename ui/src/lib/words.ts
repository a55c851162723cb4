// Search as one types in lists: every word has to be found somewhere, in any order and case.

/** Whether one of the texts of a row holds each word of a search. */
export type Matcher = (texts: () => readonly string[]) => boolean;

/** Without words in the search, all rows match. */
export function wordMatcher(search: string): Matcher {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (texts) => {
    const content = texts().join("\n").toLowerCase();
    return words.every((word) => content.includes(word));
  };
}

export function tagTexts(
  tags: readonly { readonly tag: string; readonly value: string }[],
): readonly string[] {
  return tags.map(({ tag, value }) => `${tag}:${value}`);
}
