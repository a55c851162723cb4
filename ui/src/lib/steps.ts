// Kinds of preprocessing steps with their numbers in the API, their parameters and what may happen when they
// fail. Parameters travel as lines of one text; here they are a list.

import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkPeriod } from "@/lib/interval";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface StepParam {
  /** position among the lines */
  readonly at: number;
  readonly name: string;
  readonly form: "line" | "area" | "choice" | "flag";
  readonly placeholder?: string;
  readonly choices?: readonly Choice[];
  readonly fallback?: string;
  /** whether it counts, by the other parameters */
  readonly when?: (params: readonly string[]) => boolean;
}

export type OnFail = "0" | "1" | "2" | "3";

export interface StepKind {
  readonly type: number;
  readonly name: string;
  readonly params: readonly StepParam[];
  /** what can be chosen for a failure; nothing where a step does not fail */
  readonly onFail: readonly OnFail[];
  /** its parameters come in groups of so many, as often as one likes */
  readonly repeats?: number;
}

export const CHECK_NOT_SUPPORTED = 26;
export const SNMP_WALK_TO_JSON = 29;
const JAVASCRIPT = 21;
const DISPATCH = 1003;
const CHANGES: readonly number[] = [9, 10];
const THROTTLES: readonly number[] = [19, 20];
const PROMETHEUS: readonly number[] = [22, 23];

const ALL: readonly OnFail[] = ["0", "1", "2", "3"];
const NONE: readonly OnFail[] = [];

function line(at: number, name: string, placeholder = ""): StepParam {
  return { at, name, placeholder, form: "line" };
}

function choice(at: number, name: string, choices: readonly (readonly string[])[]): StepParam {
  const [first] = choices;
  return {
    at,
    name,
    form: "choice",
    choices: choices.map(([value = "", label = ""]) => ({ value, label })),
    fallback: first?.[0] ?? "",
  };
}

const kind = (
  type: number,
  name: string,
  params: readonly StepParam[],
  onFail: readonly OnFail[],
): StepKind => ({ type, name, params, onFail });

const PATTERN = line(0, t("Pattern"), "(\\d+)");

const SNMP_FORMATS: readonly [string, string][] = [
  ["1", t("UTF-8 from hex")],
  ["2", t("MAC from hex")],
  ["3", t("Integer from BITS")],
];
const SNMP_WALK_FORMATS: readonly [string, string][] = [["0", t("Unchanged")], ...SNMP_FORMATS];

/** In the order in which they are offered. */
export const STEP_KINDS: readonly StepKind[] = [
  kind(5, t("Regular expression"), [PATTERN, line(1, t("Output"), "\\1")], ALL),
  kind(25, t("Replace"), [line(0, t("Search for")), line(1, t("Replacement"))], NONE),
  kind(4, t("Trim"), [line(0, t("Characters"))], NONE),
  kind(2, t("Right trim"), [line(0, t("Characters"))], NONE),
  kind(3, t("Left trim"), [line(0, t("Characters"))], NONE),
  kind(11, t("XML XPath"), [line(0, t("XPath"), "/document/item/value/text()")], ALL),
  kind(12, t("JSONPath"), [line(0, t("Path"), "$.path.to.node")], ALL),
  kind(
    24,
    t("CSV to JSON"),
    [
      { ...line(0, t("Delimiter"), ","), fallback: "," },
      { ...line(1, t("Quotation mark"), '"'), fallback: '"' },
      { at: 2, name: t("With header row"), form: "flag", fallback: "1" },
    ],
    ALL,
  ),
  kind(27, t("XML to JSON"), [], ALL),
  kind(
    28,
    t("SNMP walk value"),
    [line(0, t("OID"), "1.3.6.1.2.1.1.5.0"), choice(1, t("Format"), SNMP_WALK_FORMATS)],
    ALL,
  ),
  {
    ...kind(
      SNMP_WALK_TO_JSON,
      t("SNMP walk to JSON"),
      [
        line(0, t("Field name"), "{#IFNAME}"),
        line(1, t("OID prefix"), "1.3.6.1.2.1.31.1.1.1.1"),
        choice(2, t("Format"), SNMP_WALK_FORMATS),
      ],
      ALL,
    ),
    repeats: 3,
  },
  kind(30, t("SNMP get value"), [choice(0, t("Format"), SNMP_FORMATS)], ALL),
  kind(1, t("Custom multiplier"), [line(0, t("Number"), "8")], ALL),
  kind(9, t("Simple change"), [], ALL),
  kind(10, t("Change per second"), [], ALL),
  kind(6, t("Boolean to decimal"), [], ALL),
  kind(7, t("Octal to decimal"), [], ALL),
  kind(8, t("Hexadecimal to decimal"), [], ALL),
  kind(JAVASCRIPT, t("JavaScript"), [{ at: 0, name: t("Script"), form: "area" }], NONE),
  kind(13, t("In range"), [line(0, t("From"), "min"), line(1, t("To"), "max")], ALL),
  kind(14, t("Matches regular expression"), [PATTERN], ALL),
  kind(15, t("Does not match regular expression"), [PATTERN], ALL),
  kind(16, t("Check for error in JSON"), [line(0, t("Path"), "$.errors")], ALL),
  kind(17, t("Check for error in XML"), [line(0, t("XPath"), "/document/error/text()")], ALL),
  kind(
    18,
    t("Check for error using regular expression"),
    [line(0, t("Pattern"), "error: (.*)"), line(1, t("Output"), "\\1")],
    ALL,
  ),
  kind(
    CHECK_NOT_SUPPORTED,
    t("Check for not supported value"),
    [
      choice(0, t("Error"), [
        ["-1", t("any error")],
        ["0", t("error matches")],
        ["1", t("error does not match")],
      ]),
      { ...line(1, t("Pattern")), when: ([which = "-1"]) => which !== "-1" },
    ],
    ["1", "2", "3"],
  ),
  kind(19, t("Discard unchanged"), [], NONE),
  kind(20, t("Discard unchanged with heartbeat"), [line(0, t("Period"), "1h")], NONE),
  kind(
    22,
    t("Prometheus pattern"),
    [
      line(0, t("Pattern"), 'node_cpu_seconds_total{mode="idle"}'),
      choice(1, t("Output"), [
        ["value", t("value")],
        ["label", t("label")],
        ["function", t("function")],
      ]),
      { ...line(2, t("Label")), when: ([, output]) => output === "label" },
      {
        ...choice(2, t("Function"), [
          ["sum", "sum"],
          ["min", "min"],
          ["max", "max"],
          ["avg", "avg"],
          ["count", "count"],
        ]),
        when: ([, output]) => output === "function",
      },
    ],
    ALL,
  ),
  kind(23, t("Prometheus to JSON"), [line(0, t("Pattern"), t("all metrics"))], ALL),
  // beyond Zabbix's: docs/user/preprocessing.md
  kind(
    1001,
    t("Aggregate over time"),
    [
      line(0, t("Period"), "5m"),
      choice(
        1,
        t("Function"),
        ["avg", "min", "max", "sum", "count", "first", "last"].map((it) => [it, it]),
      ),
    ],
    ALL,
  ),
  kind(
    1002,
    t("Filter JSON fields"),
    [
      choice(0, t("Fields"), [
        ["keep", t("keep")],
        ["remove", t("remove")],
      ]),
      { at: 1, name: t("Paths"), placeholder: t("$.disks[*].name, one per line"), form: "area" },
    ],
    ALL,
  ),
  kind(
    1003,
    t("Dispatch to hosts"),
    [
      choice(0, t("Host by"), [
        ["name", t("by technical name")],
        ["ip", t("by IP address")],
      ]),
      line(1, t("Path of the host"), "$.hostname"),
      line(2, t("Path of the rows"), "$.data"),
      line(3, t("Key of the items"), t("same as this item")),
    ],
    ALL,
  ),
];

/** What Zabbix does with results of discovery rules: nothing that makes a number of them. */
const OF_RULES: readonly number[] = [5, 11, 12, 14, 15, 16, 17, 20, 21, 23, 24, 25, 27, 28, 29, 30];

/** The kinds that an item, or a discovery rule, may have. */
export function stepKinds(ofRule: boolean): readonly StepKind[] {
  return ofRule ? STEP_KINDS.filter(({ type }) => OF_RULES.includes(type)) : STEP_KINDS;
}

/** A kind that this version does not know keeps its parameters as one text. */
export function stepKind(type: number | string): StepKind {
  const n = Number(type);
  const unknown: StepParam = { at: 0, name: t("Parameters"), form: "area" };
  return STEP_KINDS.find((it) => it.type === n) ?? kind(n, t("Type {n}", { n }), [unknown], ALL);
}

/** Lines that the parameters of a kind take, before any repetition. */
function width({ params }: StepKind): number {
  return params.reduce((widest, { at }) => Math.max(widest, at + 1), 0);
}

/** The parameters of a new step. */
export function newParams(type: number | string): readonly string[] {
  const step = stepKind(type);
  const params = Array.from({ length: width(step) }, () => "");
  for (const { at, fallback, when } of step.params) {
    if (fallback !== undefined && when === undefined) params[at] = fallback;
  }
  return params;
}

export function paramsOf(type: number | string, text: string): readonly string[] {
  const step = stepKind(type);
  const lines = width(step);
  if (lines === 0) return [];
  if (lines === 1) return [text];
  const all = text.split("\n");
  if (step.repeats !== undefined) return all;
  // a text of several lines takes all that follow
  const takesRest = step.params.some((it) => it.form === "area" && it.at === lines - 1);
  return Array.from({ length: lines }, (_, at) =>
    takesRest && at === lines - 1 ? all.slice(at).join("\n") : (all[at] ?? ""),
  );
}

/** What is sent. Parameters that do not count are left out at the end, empty in between. */
export function textOfParams(type: number | string, params: readonly string[]): string {
  const step = stepKind(type);
  if (step.repeats !== undefined) return params.join("\n");
  const lines = Array.from({ length: width(step) }, (_, at) => {
    const counts = step.params.some((it) => it.at === at && (it.when?.(params) ?? true));
    return counts ? (params[at] ?? "") : undefined;
  });
  // Prometheus patterns always have their three lines
  if (step.type === CHECK_NOT_SUPPORTED && lines.at(-1) === undefined) lines.pop();
  while (step.type === DISPATCH && lines.at(-1) === "" && lines.length > 2) lines.pop();
  return lines.map((it) => it ?? "").join("\n");
}

// ---- checks

export interface StepText {
  readonly type: string;
  readonly params: readonly string[];
  readonly onFail: string;
  readonly onFailParams: string;
}

const MACRO = /\{[$#][^}]*\}|\{\{[#$].+\}/;
const ONE_MACRO = /^(\{[$#][^}]*\}|\{\{[$#].+\})$/;
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

function isNumber(text: string): boolean {
  return NUMBER.test(text) || ONE_MACRO.test(text);
}

function needed(text: string, what: string): Check {
  return text.trim() === "" ? bad(what, 0) : OK;
}

type ParamsCheck = (params: readonly string[]) => Check;

const pattern: ParamsCheck = ([it = ""]) =>
  it === "" ? bad(t("a pattern is required"), 0) : checkPattern(it);

const patternAndOutput: ParamsCheck = (params) => {
  const [, output = ""] = params;
  const first = pattern(params);
  if (!first.ok) return first;
  return output === "" ? bad(t("an output such as \\1 is required"), 0) : OK;
};

const path: ParamsCheck = ([it = ""]) =>
  it.startsWith("$") || MACRO.test(it) ? OK : bad(t("a path begins with $"), 0);

const CHECKS: Readonly<Record<number, ParamsCheck>> = {
  1: ([it = ""]) => (isNumber(it) ? OK : bad(t("a number or macro is required"), 0)),
  2: ([it = ""]) => (it === "" ? bad(t("characters are required"), 0) : OK),
  3: ([it = ""]) => (it === "" ? bad(t("characters are required"), 0) : OK),
  4: ([it = ""]) => (it === "" ? bad(t("characters are required"), 0) : OK),
  5: patternAndOutput,
  11: ([it = ""]) => needed(it, t("an XPath is required")),
  12: path,
  13: inRange,
  14: pattern,
  15: pattern,
  16: path,
  17: ([it = ""]) => needed(it, t("an XPath is required")),
  18: patternAndOutput,
  20: ([it = ""]) => (ONE_MACRO.test(it) ? OK : checkPeriod(it)),
  21: ([it = ""]) => needed(it, t("a script is required")),
  22: ([it = "", output, label = ""]) =>
    it.trim() === ""
      ? bad(t("a pattern is required"), 0)
      : output === "label"
        ? needed(label, t("a label is required"))
        : OK,
  24: ([delimiter = "", quote = ""]) =>
    [...delimiter].length > 1 || [...quote].length > 1 ? bad(t("one character at most"), 0) : OK,
  25: ([it = ""]) => (it === "" ? bad(t("a text to search for is required"), 0) : OK),
  26: ([which, it = ""]) => (which === "-1" ? OK : pattern([it])),
  28: ([it = ""]) => needed(it, t("an OID is required")),
  29: walkRows,
  1001: ([it = ""]) => (MACRO.test(it) ? OK : checkPeriod(it)),
  1002: ([, it = ""]) => needed(it, t("a path is required")),
  1003: ([, it = ""]) => needed(it, t("a path of the host is required")),
};

function inRange([from = "", to = ""]: readonly string[]): Check {
  if (from === "" && to === "") return bad(t("a lower or an upper limit is required"), 0);
  if ((from !== "" && !isNumber(from)) || (to !== "" && !isNumber(to))) {
    return bad(t("a number or macro is required"), 0);
  }
  const isPlain = from !== "" && to !== "" && !MACRO.test(from) && !MACRO.test(to);
  return isPlain && Number(from) >= Number(to) ? bad(t("the range is empty"), 0) : OK;
}

function walkRows(params: readonly string[]): Check {
  if (params.length < 3) return bad(t("a field is required"), 0);
  const names = new Set<string>();
  for (let at = 0; at < params.length; at += 3) {
    const [name = "", oid = ""] = [params[at], params[at + 1]];
    if (name.trim() === "") return bad(t("a field name is required"), at);
    if (names.has(name)) return bad(t('the field "{name}" is listed twice', { name }), at);
    if (oid.trim() === "") return bad(t("an OID prefix is required"), at);
    names.add(name);
  }
  return OK;
}

export function checkStep({ type, params, onFail, onFailParams }: StepText): Check {
  const own = CHECKS[Number(type)]?.(params) ?? OK;
  if (!own.ok) return own;
  const setsError = onFail === "3" && stepKind(type).onFail.includes("3");
  return setsError && onFailParams === "" ? bad(t("an error message is required"), 0) : OK;
}

/** Each step by itself, and what may stand only once or only first. */
export function checkSteps(steps: readonly StepText[]): readonly Check[] {
  const before: number[] = [];
  return steps.map((step) => {
    const type = Number(step.type);
    const check = checkStep(step);
    const order = checkOrder(type, before);
    before.push(type);
    return check.ok ? order : check;
  });
}

function checkOrder(type: number, before: readonly number[]): Check {
  if (before.includes(DISPATCH)) return bad(t("no step may follow dispatching to hosts"), 0);
  for (const [group, message] of [
    [CHANGES, t("only one change step is allowed")],
    [THROTTLES, t("only one step can discard unchanged values")],
    [PROMETHEUS, t("only one Prometheus step is allowed")],
  ] as const) {
    if (group.includes(type) && before.some((it) => group.includes(it))) {
      return bad(message, 0);
    }
  }
  if (type === CHECK_NOT_SUPPORTED && before.some((it) => it !== CHECK_NOT_SUPPORTED)) {
    return bad(t("it must be before all other steps"), 0);
  }
  return OK;
}

/** Brackets only: PCRE knows more than the browser, so that nothing right may be called wrong. */
function checkPattern(text: string): Check {
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    if (depth < 0) return bad(t("a closing bracket has no opening bracket"), at);
  }
  if (inClass) return bad(t("a character class is not closed"), text.length);
  return depth > 0 ? bad(t("a bracket is not closed"), text.length) : OK;
}

// ---- what a test of steps needs to ask for

/** Steps that look at the value before. */
export function usesPrevious(steps: readonly { readonly type: string }[]): boolean {
  return steps.some(({ type }) => [...CHANGES, ...THROTTLES].includes(Number(type)));
}

/** User and discovery macros in parameters, as written, each once. */
export function macrosIn(texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [macro] of text.matchAll(/\{[$#][A-Z0-9_.]+(?::(?:"(?:[^"\\]|\\.)*"|[^}"]*))?\}/g)) {
      found.add(macro);
    }
  }
  return [...found];
}

/** All texts of something that is asked, those of its lists among them. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
