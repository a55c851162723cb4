// Columns as the server sends them: plain arrays, and dictionaries for texts that repeat.
// Decoding checks shapes and lengths once, so that reading a row afterwards needs no checks.

export class ColumnError extends Error {
  override readonly name = "ColumnError";
}

export type RawColumns = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(columns: RawColumns, name: string): readonly unknown[] | undefined {
  const column = columns[name];
  if (column === undefined || column === null) return undefined;
  if (!Array.isArray(column)) throw new ColumnError(`column ${name} is not a list`);
  return column;
}

function sized<T>(values: T[], n: number, name: string): T[] {
  if (values.length !== n) {
    throw new ColumnError(`column ${name} has ${values.length} rows instead of ${n}`);
  }
  return values;
}

/** Rows of the table: the length of its key column, which must be there. */
export function rowCount(columns: RawColumns, key: string): number {
  const column = list(columns, key);
  if (column === undefined) throw new ColumnError(`column ${key} is missing`);
  return column.length;
}

/** A missing column is filled with `fallback`: older servers may not send it. */
export function numbers(columns: RawColumns, name: string, n: number, fallback = 0): number[] {
  const column = list(columns, name);
  if (column === undefined) return new Array<number>(n).fill(fallback);
  return sized(
    column.map((value) => {
      const it = Number(value ?? fallback);
      return Number.isFinite(it) ? it : fallback;
    }),
    n,
    name,
  );
}

/** Texts or ids, written out or as a dictionary. */
export function strings(columns: RawColumns, name: string, n: number): string[] {
  const column = columns[name];
  if (isRecord(column)) {
    return dictionary(columns, name, n, (entry) => text(entry));
  }
  const plain = list(columns, name);
  if (plain === undefined) return new Array<string>(n).fill("");
  return sized(plain.map(text), n, name);
}

function text(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** Each dictionary entry is decoded once; rows share it. */
export function dictionary<T>(
  columns: RawColumns,
  name: string,
  n: number,
  decode: (entry: unknown) => T,
): T[] {
  const column = columns[name];
  if (!isRecord(column) || !Array.isArray(column["dict"]) || !Array.isArray(column["idx"])) {
    throw new ColumnError(`column ${name} is not a dictionary`);
  }
  const dict = column["dict"].map(decode);
  const rows = column["idx"].map((at: unknown) => {
    const entry = dict[Number(at)];
    if (entry === undefined) {
      throw new ColumnError(`column ${name} points past its dictionary: ${String(at)}`);
    }
    return entry;
  });
  return sized(rows, n, name);
}

export type TagPair = readonly [tag: string, value: string];

/** `[[tag, value], …]`, or the API's `[{tag, value}, …]`. */
export function decodeTags(entry: unknown): readonly TagPair[] {
  if (!Array.isArray(entry)) return [];
  return entry.map((pair): TagPair => {
    if (Array.isArray(pair)) return [text(pair[0]), text(pair[1])];
    if (isRecord(pair)) return [text(pair["tag"]), text(pair["value"])];
    return [text(pair), ""];
  });
}

/** Tags of rows as a dictionary, a plain list, or absent. */
export function tagLists(columns: RawColumns, name: string, n: number): (readonly TagPair[])[] {
  const column = columns[name];
  if (isRecord(column)) return dictionary(columns, name, n, decodeTags);
  const plain = list(columns, name);
  if (plain === undefined) return new Array<readonly TagPair[]>(n).fill([]);
  return sized(plain.map(decodeTags), n, name);
}
