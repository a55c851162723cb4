// Parameters of addresses. They are plain text: `?sev=4,5&q=disk`, no JSON in quotes.

type Search = Readonly<Record<string, unknown>>;

/** The names of an address's parameters: "rule" and "item" of `/rules/$rule/items/$item`. */
export type ParamsOf<Path extends string> = Path extends `${string}$${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamsOf<More>
    : Rest
  : never;

export function paramNames(path: string): readonly string[] {
  return path
    .split("/")
    .filter((it) => it.startsWith("$"))
    .map((it) => it.slice(1));
}
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Search): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  // commas and colons are frequent here and harmless
  const text = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}

/** Only the named parameters, as texts. */
export function pickSearch<const Name extends string>(
  search: Search,
  names: readonly Name[],
): { [Key in Name]?: string } {
  const picked: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== null && value !== "") picked[name] = String(value);
  }
  return picked;
}
