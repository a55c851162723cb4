// Text for people goes through `t` and `plural`, keyed by its English form, so that a catalogue can replace it.
// Their arguments are literals: scripts/texts.ts finds them all and compares them with the catalogues of src/lang.
// The catalogue is there before any page's module is evaluated (main.tsx): constants may hold translated text.
// Not here: dates (lib/time) and values with units (lib/units).

export interface CataloguePart {
  readonly texts: Readonly<Record<string, string>>;
  /** by the English text for many: a text for each of the language's `forms` */
  readonly plurals: Readonly<Record<string, readonly string[]>>;
}

export interface Catalogue extends CataloguePart {
  /** BCP 47, as `lang` of the document and as locale of numbers and of the order of names */
  readonly tag: string;
  /** the plural categories of the language that whole numbers have */
  readonly forms: readonly Intl.LDMLPluralRule[];
}

type Values = Readonly<Record<string, string | number>>;

const ENGLISH: Catalogue = { tag: "en-US", texts: {}, forms: ["one", "other"], plurals: {} };

let catalogue = ENGLISH;
let rules = new Intl.PluralRules(ENGLISH.tag);
let counts = new Intl.NumberFormat(ENGLISH.tag);

export function setCatalogue(next: Catalogue = ENGLISH): void {
  catalogue = next;
  rules = new Intl.PluralRules(next.tag);
  counts = new Intl.NumberFormat(next.tag);
}

/** The locale of what is shown, for numbers, dates and the order of names. */
export function locale(): string {
  return catalogue.tag;
}

/** The text in the user's language; `{name}` in it is replaced by the value of that name. */
export function t(text: string, values?: Values): string {
  return filled(catalogue.texts[text] ?? text, values);
}

/** What a worker said by `t`: it has no catalogue. */
export function translated(text: string): string {
  return catalogue.texts[text] ?? text;
}

/** `{n}` in the text is the count, written with separators. */
export function plural(n: number, one: string, many: string, values?: Values): string {
  const forms = catalogue.plurals[many];
  // what has no form of its own (fractions in Russian) is written as the last one
  const text = forms?.[catalogue.forms.indexOf(rules.select(n))] ?? forms?.at(-1);
  return filled(text ?? (n === 1 ? one : many), { n: countText(n), ...values });
}

/** A number in running text: 1,234,567. */
export function countText(n: number): string {
  return counts.format(n);
}

function filled(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
