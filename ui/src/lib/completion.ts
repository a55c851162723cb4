// What can be completed in an expression at the caret: the name of a function, a host after a slash, a key after the
// host.

export type Completable =
  | { readonly kind: "function"; readonly from: number; readonly text: string }
  | { readonly kind: "host"; readonly from: number; readonly text: string }
  | { readonly kind: "key"; readonly from: number; readonly host: string; readonly text: string };

const OF_HISTORY: readonly string[] = [
  ...["avg", "avg_foreach", "baselinedev", "baselinewma", "bitand", "bucket_percentile"],
  ...["bucket_rate_foreach", "change", "changecount", "count", "count_foreach", "countunique"],
  ...["exists_foreach", "find", "first", "firstclock", "forecast", "fuzzytime", "item_count"],
  ...["kurtosis", "last", "last_foreach", "lastclock", "logeventid", "logseverity", "logsource"],
  ...["logtimestamp", "mad", "max", "max_foreach", "min", "min_foreach", "monodec", "monoinc"],
  ...["nodata", "percentile", "rate", "skewness", "stddevpop", "stddevsamp", "sum", "sum_foreach"],
  ...["sumofsquares", "timeleft", "trendavg", "trendcount", "trendmax", "trendmin", "trendstl"],
  ...["trendsum", "varpop", "varsamp"],
];

const OF_VALUES: readonly string[] = [
  ...["abs", "acos", "ascii", "asin", "atan", "atan2", "between", "bitlength", "bitlshift"],
  ...["bitnot", "bitor", "bitrshift", "bitxor", "bytelength", "cbrt", "ceil", "char", "concat"],
  ...["cos", "cosh", "cot", "date", "dayofmonth", "dayofweek", "degrees", "e", "exp", "expm1"],
  ...["floor", "in", "insert", "jsonpath", "left", "length", "log", "log10", "ltrim", "mid", "mod"],
  ...["now", "pi", "power", "radians", "rand", "repeat", "replace", "right", "round", "rtrim"],
  ...["signum", "sin", "sinh", "sqrt", "tan", "time", "trim", "truncate", "xmlxpath"],
];

/** Names of functions: those over the history of an item, then those over values. */
export const FUNCTIONS: readonly string[] = [...OF_HISTORY, ...OF_VALUES];

const HOST = /\/([^/(),"]*)$/;
const KEY = /\/([^/(),"]+)\/([^(),"[\]]*)$/;
const NAME = /(?:^|[^\w/{$#.])([a-z][a-z_0-9]*)$/;

/** Undefined within quotes, numbers, parameters of keys and where nothing was typed yet. */
export function completableAt(expression: string, caret: number): Completable | undefined {
  const before = expression.slice(0, caret);
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const key = KEY.exec(before);
  if (key !== null) {
    const [, host = "", text = ""] = key;
    return { kind: "key", from: caret - text.length, host, text };
  }
  const host = HOST.exec(before);
  // a slash after a value divides; one that names an item stands after a bracket
  if (host !== null && /\(\s*$/.test(before.slice(0, host.index))) {
    const text = host[1] ?? "";
    return { kind: "host", from: caret - text.length, text };
  }
  const name = NAME.exec(before);
  if (name === null) return undefined;
  const text = name[1] ?? "";
  return { kind: "function", from: caret - text.length, text };
}

/** Functions that begin with the text, then those that contain it. */
export function matchingFunctions(text: string, limit: number): readonly string[] {
  const starts = FUNCTIONS.filter((it) => it.startsWith(text));
  const contains = FUNCTIONS.filter((it) => !it.startsWith(text) && it.includes(text));
  return [...starts, ...contains].slice(0, limit);
}

export interface Completed {
  readonly text: string;
  readonly caret: number;
}

/** The expression with the choice in place of what was typed of it. */
export function complete(
  expression: string,
  caret: number,
  { kind, from }: Completable,
  choice: string,
): Completed {
  const rest = expression.slice(caret);
  const opened = openedBy(kind, choice);
  // what stands there already is not written twice
  const added = rest.startsWith(opened.slice(0, 1)) && opened !== "" ? "" : opened;
  const written = `${choice}${added}`;
  return { text: `${expression.slice(0, from)}${written}${rest}`, caret: from + written.length };
}

/** What follows a choice: the brackets of a function, the slash between host and key. */
function openedBy(kind: Completable["kind"], choice: string): string {
  if (kind === "key") return "";
  if (kind === "host") return "/";
  return OF_HISTORY.includes(choice) ? "(/" : "(";
}
