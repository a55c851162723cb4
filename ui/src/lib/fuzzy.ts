// Fuzzy search for short lists (palette, pickers): letters in order, better when together and at word starts.

export interface FuzzyHit<T> {
  readonly entry: T;
  readonly score: number;
}

const SCORE_RUN = 5;
const SCORE_WORD_START = 8;
const SCORE_LETTER = 1;

/** Higher is better; undefined when `query` is not contained in order. Words of the query match separately. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = text.toLowerCase();
  let total = 0;
  for (const word of words) {
    const score = scoreWord(word, haystack);
    if (score === undefined) return undefined;
    total += score;
  }
  // of equal hits the shorter text is the closer one
  return total - haystack.length / 1000;
}

function scoreWord(word: string, text: string): number | undefined {
  const whole = text.indexOf(word);
  if (whole >= 0) {
    return (
      word.length * (SCORE_LETTER + SCORE_RUN) + (atWordStart(text, whole) ? SCORE_WORD_START : 0)
    );
  }
  let score = 0;
  let at = -1;
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    score += SCORE_LETTER;
    if (next === at + 1) score += SCORE_RUN;
    if (atWordStart(text, next)) score += SCORE_WORD_START;
    at = next;
  }
  return score;
}

function atWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s\-_./:[,(]/.test(text[at - 1] ?? "");
}

export function fuzzySearch<T>(
  query: string,
  entries: readonly T[],
  textOf: (entry: T) => string,
  limit: number,
): T[] {
  if (query.trim() === "") return entries.slice(0, limit);
  const hits: FuzzyHit<T>[] = [];
  for (const entry of entries) {
    const score = fuzzyScore(query, textOf(entry));
    if (score !== undefined) hits.push({ entry, score });
  }
  hits.sort((a, b) => b.score - a.score);
  return hits.slice(0, limit).map((hit) => hit.entry);
}
