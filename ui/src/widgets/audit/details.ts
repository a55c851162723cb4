// What a record of the audit log says of each field.

import { isRecord } from "@/lib/columns";

export interface FieldChange {
  /** path of the field: host.tags[3].value */
  readonly field: string;
  /** add, update, delete, attach, detach */
  readonly done: string;
  readonly after: string;
  readonly before: string;
}

/** Empty where there are none, or where they cannot be read. */
export function changesOf(details: string): readonly FieldChange[] {
  let parsed: unknown;
  try {
    parsed = details === "" ? {} : JSON.parse(details);
  } catch {
    return [];
  }
  if (!isRecord(parsed)) return [];
  return Object.entries(parsed).map(([field, said]) => {
    const [done = "", after, before] = Array.isArray(said) ? said : [said];
    return { field, done: String(done), after: shown(after), before: shown(before) };
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  // lists are compared line by line
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}

/**
 * Records of one object, the newest first, with what each field was before where an earlier one of them says so: the
 * log keeps what was written.
 */
export function withBefore(
  records: readonly { readonly all_details: string }[],
): readonly (readonly FieldChange[])[] {
  const known = new Map<string, string>();
  const oldestFirst = records.toReversed().map(({ all_details }) =>
    changesOf(all_details).map((change) => {
      const before = change.before === "" ? (known.get(change.field) ?? "") : change.before;
      known.set(change.field, change.after);
      return { ...change, before };
    }),
  );
  return oldestFirst.reverse();
}

/** In a line of the list: the fields that were changed, by their last names. */
export function summary(changes: readonly FieldChange[]): string {
  const names = changes
    .filter(({ after, before }) => after !== "" || before !== "")
    .map(({ field, after }) => {
      const name = field.slice(field.indexOf(".") + 1);
      return `${name}: ${after.replaceAll(/\s+/g, " ")}`;
    });
  return names.join("; ");
}
