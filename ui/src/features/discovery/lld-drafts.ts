// Filter, macro paths and overrides of a discovery rule while they are edited.

import type {
  Id,
  LldFilter,
  LldMacroPath,
  LldOverride,
  LldOverrideOperation,
  Tag,
} from "@/api/types";
import { AND_OR, checkFormula, FORMULA, formulaOf, freeLetter, letterAt } from "@/lib/formula";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkLldMacro } from "@/lib/lld";
import { type Keyed, keyed } from "@/widgets/keyed";
import { cleanTags } from "@/widgets/tag-editor";

export type ConditionDraft = Keyed<LldFilter["conditions"][number]>;

export interface FilterDraft {
  readonly evaltype: string;
  readonly formula: string;
  readonly conditions: readonly ConditionDraft[];
}

export type PathDraft = Keyed<LldMacroPath>;

/** An action that is undefined leaves what the prototype says. */
export interface OperationFields {
  readonly object: string;
  readonly operator: string;
  readonly value: string;
  readonly status: string | undefined;
  readonly discover: string | undefined;
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  readonly severity: string | undefined;
  readonly inventory: string | undefined;
  readonly tags: readonly Keyed<Tag>[];
  readonly templates: readonly Id[];
}

export type OperationDraft = Keyed<OperationFields>;

export interface OverrideFields {
  readonly name: string;
  readonly stop: boolean;
  readonly filter: FilterDraft;
  readonly operations: readonly OperationDraft[];
}

export type OverrideDraft = Keyed<OverrideFields>;

export const MATCHES = "8";
export const NOT_MATCHES = "9";

export const OF_ITEM = "0";
export const OF_TRIGGER = "1";
export const OF_GRAPH = "2";
export const OF_HOST = "3";
export const OF_RULE = "4";

/** Whether a condition compares with a pattern. */
export function hasValue(operator: string): boolean {
  return operator === MATCHES || operator === NOT_MATCHES;
}

export function newCondition(conditions: readonly ConditionDraft[]): ConditionDraft {
  const formulaid = freeLetter(conditions.map((it) => it.formulaid));
  return keyed({ macro: "", operator: MATCHES, value: "", formulaid });
}

export function filterOf(filter: LldFilter | undefined): FilterDraft {
  const conditions = (filter?.conditions ?? []).map((it, at) =>
    keyed({ ...it, formulaid: it.formulaid === "" ? letterAt(at) : it.formulaid }),
  );
  return { evaltype: filter?.evaltype ?? AND_OR, formula: filter?.formula ?? "", conditions };
}

export function toFilter({ evaltype, formula, conditions }: FilterDraft): LldFilter {
  return {
    evaltype: conditions.length === 0 ? AND_OR : evaltype,
    formula: evaltype === FORMULA && conditions.length > 0 ? formula.trim() : "",
    conditions: conditions.map(({ macro, operator, value, formulaid }) => ({
      macro: macro.trim(),
      operator,
      value: hasValue(operator) ? value : "",
      formulaid,
    })),
  };
}

export function isFilterValid({ evaltype, formula, conditions }: FilterDraft): boolean {
  const letters = conditions.map((it) => it.formulaid);
  return (
    conditions.every(
      ({ macro, operator, value }) =>
        checkLldMacro(macro).ok && (!hasValue(operator) || value !== ""),
    ) &&
    (evaltype !== FORMULA || conditions.length === 0 || checkFormula(formula, letters).ok)
  );
}

export function isPathValid({ lld_macro, path }: LldMacroPath): boolean {
  return checkLldMacro(lld_macro).ok && path.trim().startsWith("$");
}

export function newOperation(): OperationDraft {
  return keyed({
    object: OF_ITEM,
    operator: "0",
    value: "",
    status: undefined,
    discover: undefined,
    delay: "",
    history: "",
    trends: "",
    severity: undefined,
    inventory: undefined,
    tags: [],
    templates: [],
  });
}

export function newOverride(): OverrideDraft {
  return keyed({ name: "", stop: false, filter: filterOf(undefined), operations: [] });
}

function operationOf(it: LldOverrideOperation): OperationDraft {
  return keyed({
    object: it.operationobject,
    operator: it.operator,
    value: it.value,
    status: it.opstatus?.status,
    discover: it.opdiscover?.discover,
    delay: it.opperiod?.delay ?? "",
    history: it.ophistory?.history ?? "",
    trends: it.optrends?.trends ?? "",
    severity: it.opseverity?.severity,
    inventory: it.opinventory?.inventory_mode,
    tags: (it.optag ?? []).map(keyed),
    templates: (it.optemplate ?? []).map(({ templateid }) => templateid),
  });
}

export function overrideOf(it: LldOverride): OverrideDraft {
  return keyed({
    name: it.name,
    stop: it.stop === "1",
    filter: filterOf(it.filter),
    operations: it.operations.map(operationOf),
  });
}

/** Which actions an operation on a kind of prototype has. */
export function actionsOf(object: string) {
  const isItem = object === OF_ITEM;
  return {
    status: object !== OF_GRAPH,
    interval: isItem || object === OF_RULE,
    periods: isItem,
    severity: object === OF_TRIGGER,
    tags: object !== OF_GRAPH && object !== OF_RULE,
    inventory: object === OF_HOST,
    templates: object === OF_HOST,
  };
}

function toOperation(it: OperationDraft): LldOverrideOperation {
  const has = actionsOf(it.object);
  const tags = cleanTags(it.tags);
  // each action with the field in it, whether this kind of object has it, and its value if any
  const single = [
    ["opdiscover", "discover", true, it.discover],
    ["opstatus", "status", has.status, it.status],
    ["opperiod", "delay", has.interval, it.delay.trim()],
    ["ophistory", "history", has.periods, it.history.trim()],
    ["optrends", "trends", has.periods, it.trends.trim()],
    ["opseverity", "severity", has.severity, it.severity],
    ["opinventory", "inventory_mode", has.inventory, it.inventory],
  ] as const;
  const set = single.filter(([, , hasAction, value]) => hasAction && (value ?? "") !== "");
  return {
    operationobject: it.object,
    operator: it.operator,
    value: it.value,
    ...Object.fromEntries(set.map(([action, field, , value]) => [action, { [field]: value }])),
    ...(has.tags && tags.length > 0 ? { optag: tags } : {}),
    ...(has.templates && it.templates.length > 0
      ? { optemplate: it.templates.map((templateid) => ({ templateid })) }
      : {}),
  };
}

/** Overrides are tried in the order of the list. */
export function toOverrides(drafts: readonly OverrideDraft[]): LldOverride[] {
  return drafts.map((it, at) => ({
    name: it.name.trim(),
    step: String(at + 1),
    stop: it.stop ? "1" : "0",
    filter: toFilter(it.filter),
    operations: it.operations.map(toOperation),
  }));
}

/** Does it change anything? One that does not is a mistake. */
export function hasAction(it: OperationDraft): boolean {
  const {
    operationobject: _object,
    operator: _operator,
    value: _value,
    ...actions
  } = toOperation(it);
  return Object.keys(actions).length > 0;
}

export function isOperationValid(it: OperationDraft): boolean {
  return (
    hasAction(it) &&
    (it.delay === "" || checkInterval(it.delay).ok) &&
    (it.history === "" || checkPeriod(it.history).ok) &&
    (it.trends === "" || checkPeriod(it.trends).ok)
  );
}

export function isOverrideValid(it: OverrideDraft, others: readonly OverrideDraft[]): boolean {
  return (
    it.name.trim() !== "" &&
    others.every((other) => other.key === it.key || other.name.trim() !== it.name.trim()) &&
    isFilterValid(it.filter) &&
    it.operations.every(isOperationValid)
  );
}

/** What the conditions of a filter amount to: equal macros are alternatives. */
export function meaningOf({
  evaltype,
  formula,
  conditions,
}: Pick<FilterDraft, "evaltype" | "formula" | "conditions">): string {
  const lettered = conditions.map(({ macro, formulaid }) => ({ kind: macro, formulaid }));
  return formulaOf(evaltype, formula, lettered);
}
