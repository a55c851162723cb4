// What a form holds: whether two drafts are alike, what of one is to be saved, and how changes that came from
// elsewhere while it was open are put together with those of its user.

export type Draft = Readonly<Record<string, unknown>>;

/** Whether two drafts are saved alike: unset fields, and keys of lines in lists, do not matter. */
export function sameDraft(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a, b] as [Draft, Draft];
  return namesOf(left, right).every(
    (name) => isLineKey(name, left[name], right[name]) || sameDraft(left[name], right[name]),
  );
}

function namesOf(a: object, b: object): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

// keys of items are texts
function isLineKey(name: string, a: unknown, b: unknown): boolean {
  return name === "key" && typeof a === "number" && typeof b === "number";
}

/**
 * Fields that say what others mean. Once one of them changes the object is sent as a whole: the server judges those
 * others by it.
 */
const KINDS: ReadonlySet<string> = new Set([
  "algorithm",
  "authentication",
  "authtype",
  "correlation_mode",
  "custom_interfaces",
  "data_type",
  "eventsource",
  "graphtype",
  "maintenance_type",
  "propagation_rule",
  "propagation_value",
  "provider",
  "recovery_mode",
  "scope",
  "smtp_authentication",
  "smtp_security",
  "tls_accept",
  "tls_connect",
  "type",
  "value_type",
  "ymax_type",
  "ymin_type",
]);

/** The fields that are given. */
export function defined<T extends object>(
  it: T | undefined,
): { readonly [N in keyof T]?: Exclude<T[N], undefined> } {
  return Object.fromEntries(
    Object.entries(it ?? {}).filter(([, value]) => value !== undefined),
  ) as { readonly [N in keyof T]?: Exclude<T[N], undefined> };
}

/** The fields of a request that differ from what they were when the object was read. */
export function changedPart<D extends object>(before: D, after: D): Partial<D> {
  const differing = Object.entries(after).filter(
    ([name, value]) => !sameDraft((before as Draft)[name], value),
  );
  if (differing.some(([name]) => KINDS.has(name))) return after;
  return Object.fromEntries(differing) as Partial<D>;
}

/** A field that is another one on the server since the form was opened. */
export interface Meanwhile {
  readonly field: string;
  readonly before: unknown;
  readonly theirs: unknown;
  /** set where the user changed it as well, to something else */
  readonly mine?: { readonly value: unknown; readonly both: readonly unknown[] | undefined };
}

/** What changed on the server since the form was opened, but for what the user changed to the same. */
export function changedMeanwhile(base: object, server: object, mine: object): readonly Meanwhile[] {
  const [was, is, own] = [base, server, mine] as [Draft, Draft, Draft];
  return namesOf(was, is)
    .filter((field) => !sameDraft(was[field], is[field]) && !sameDraft(is[field], own[field]))
    .map((field) => {
      const [before, theirs, value] = [was[field], is[field], own[field]];
      if (sameDraft(before, value)) return { field, before, theirs };
      return { field, before, theirs, mine: { value, both: bothLists(before, theirs, value) } };
    });
}

// steps are applied in their order: two changes of it are no list that anybody wanted
const hasOrder = (line: unknown) =>
  typeof line === "object" && line !== null && ("params" in line || "esc_step_from" in line);

/** Two changes of a list put together; undefined: it is none, or both changed the same line. */
function bothLists(
  before: unknown,
  theirs: unknown,
  mine: unknown,
): readonly unknown[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(theirs) || !Array.isArray(mine)) return undefined;
  if ([...theirs, ...mine].some(hasOrder)) return undefined;
  const isIn = (list: readonly unknown[], line: unknown) => list.some((it) => sameDraft(it, line));
  const taken = before.filter((line) => !isIn(mine, line));
  if (taken.some((line) => !isIn(theirs, line))) return undefined;
  const added = mine.filter((line) => !isIn(before, line) && !isIn(theirs, line));
  return [...theirs.filter((line) => !isIn(taken, line)), ...added];
}

export type Choice = "mine" | "theirs" | "both";

/** What the user typed on top of what is on the server now; fields that both changed by choice. */
export function mergedDraft<F extends object>(
  server: F,
  mine: F,
  changes: readonly Meanwhile[],
  choices: Readonly<Record<string, Choice>>,
): F {
  const taken = changes.map(({ field, theirs, mine: own }) => {
    if (own === undefined) return [field, theirs] as const;
    const choice = choices[field] ?? usualChoice(own.both);
    if (choice === "mine") return [field, own.value] as const;
    return [field, choice === "both" ? (own.both ?? own.value) : theirs] as const;
  });
  const known = Object.keys(server).filter((field) => !(field in mine));
  const added = known.map((field) => [field, (server as Draft)[field]] as const);
  return { ...mine, ...Object.fromEntries(added), ...Object.fromEntries(taken) };
}

/** Nothing is lost where both fit; else what the user typed stays. */
export function usualChoice(both: readonly unknown[] | undefined): Choice {
  return both === undefined ? "mine" : "both";
}
