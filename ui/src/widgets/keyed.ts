// Lines of list editors carry a key of their own: they have no id until the server gives one, and positions
// change while one edits.

export type Keyed<T> = T & { readonly key: number };

let next = 1;

export function keyed<T extends object>(value: T): Keyed<T> {
  next += 1;
  return { ...value, key: next };
}

export function withAt<T extends object>(list: readonly T[], at: number, change: Partial<T>): T[] {
  return list.map((entry, index) => (index === at ? { ...entry, ...change } : entry));
}

export function withoutAt<T>(list: readonly T[], at: number): T[] {
  return list.filter((_, index) => index !== at);
}

/** The entry moved to another place; the others keep their order. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length) return [...list];
  const rest = withoutAt(list, from);
  rest.splice(to, 0, entry);
  return rest;
}
