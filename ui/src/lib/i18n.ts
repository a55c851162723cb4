// Text for people goes through `t`, keyed by its English form, so that a catalogue can replace it.
// Not here: dates and numbers (lib/time, lib/units).

export type Catalogue = Readonly<Record<string, string>>;

let catalogue: Catalogue = {};

export function setCatalogue(next: Catalogue): void {
  catalogue = next;
}

/** The text in the user's language; `{name}` in it is replaced by the value of that name. */
export function t(text: string, values?: Readonly<Record<string, string | number>>): string {
  const found = catalogue[text] ?? text;
  if (values === undefined) return found;
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}

/** `{n}` in the text is the count, written with separators. */
export function plural(n: number, one: string, many: string): string {
  return t(n === 1 ? one : many, { n: n.toLocaleString("en-US") });
}
