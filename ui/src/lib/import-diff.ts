// What an import would change, as lines of a list: objects below those that they belong to.

export type Change = "added" | "updated" | "removed";

/** One field that differs; undefined: the object has no such field. */
export interface FieldDiff {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface DiffLine {
  readonly key: string;
  readonly depth: number;
  readonly change: Change;
  /** the list of the file that it stands in */
  readonly list: string;
  readonly name: string;
  /** of updated objects */
  readonly fields: readonly FieldDiff[];
}

type Fields = Readonly<Record<string, unknown>>;

const CHANGES: readonly Change[] = ["added", "updated", "removed"];

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The lines of an answer of configuration.importcompare. */
export function diffLines(diff: Fields): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  addLists(diff, 0, "", lines);
  return lines;
}

function addLists(of: Fields, depth: number, above: string, lines: DiffLine[]): void {
  for (const [list, changes] of Object.entries(of)) {
    if (list === "before" || list === "after" || !isFields(changes)) continue;
    for (const change of CHANGES) {
      for (const entry of listOf(changes[change]).filter(isFields)) {
        const line = lineOf(entry, {
          key: `${above}/${list}:${lines.length}`,
          depth,
          change,
          list,
        });
        lines.push(line);
        addLists(entry, depth + 1, line.key, lines);
      }
    }
  }
}

type Place = Pick<DiffLine, "key" | "depth" | "change" | "list">;

function lineOf(entry: Fields, place: Place): DiffLine {
  const before = isFields(entry["before"]) ? entry["before"] : undefined;
  const after = isFields(entry["after"]) ? entry["after"] : undefined;
  const fields = before !== undefined && after !== undefined ? differences(before, after) : [];
  return { ...place, name: nameOf(after ?? before ?? {}), fields };
}

function nameOf(fields: Fields): string {
  for (const name of ["name", "template", "host", "key"]) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

function differences(before: Fields, after: Fields): readonly FieldDiff[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((name) => ({ name, before: shown(before[name]), after: shown(after[name]) }))
    .filter((field) => field.before !== field.after);
}

/** Texts as they are, lists and objects as lines. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
}
