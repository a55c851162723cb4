// A correlation rule while it is edited: what its conditions are, what they say, and what is sent.

import type { Correlation, CorrelationDraft } from "@/api/correlations";
import { CORRELATION } from "@/api/generated/correlation";
import { checkName } from "@/lib/check";
import { defined } from "@/lib/draft";
import { AND_OR, checkFormula, FORMULA, freeLetter, letterAt } from "@/lib/formula";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

const { filter, operations } = CORRELATION.fields;

export const {
  OLD_TAG,
  NEW_TAG,
  NEW_HOST_GROUP: NEW_GROUP,
  TAG_PAIR,
  OLD_TAG_VALUE: OLD_VALUE,
  NEW_TAG_VALUE: NEW_VALUE,
} = filter.fields.conditions.fields.type.names;
export const { CLOSE_OLD, CLOSE_NEW } = operations.fields.type.names;

const TYPE_NAMES = [
  t("Old event tag"),
  t("New event tag"),
  t("New event host group"),
  t("Event tag pair"),
  t("Old event tag value"),
  t("New event tag value"),
] as const;

const OPERATOR_NAMES = [
  t("equals"),
  t("does not equal"),
  t("contains"),
  t("does not contain"),
] as const;

export function typeOptions() {
  return TYPE_NAMES.map((name, code) => ({ value: String(code), label: name }));
}

/** Those of a type; none where it has no choice. */
export function operatorOptions(type: string) {
  const n = type === NEW_GROUP ? 2 : type === OLD_VALUE || type === NEW_VALUE ? 4 : 0;
  return OPERATOR_NAMES.slice(0, n).map((name, code) => ({ value: String(code), label: name }));
}

export interface ConditionFields {
  readonly type: string;
  readonly formulaid: string;
  readonly tag: string;
  readonly groupid: string;
  readonly oldtag: string;
  readonly newtag: string;
  readonly value: string;
  readonly operator: string;
}

export interface CorrelationFields {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly evaltype: string;
  readonly formula: string;
  readonly conditions: readonly Keyed<ConditionFields>[];
  readonly closesOld: boolean;
  readonly closesNew: boolean;
}

export function newCondition(taken: readonly string[]): Keyed<ConditionFields> {
  return keyed({
    type: TAG_PAIR,
    formulaid: freeLetter(taken),
    tag: "",
    groupid: "",
    oldtag: "",
    newtag: "",
    value: "",
    operator: "0",
  });
}

export function fieldsOf(rule: Correlation | undefined): CorrelationFields {
  if (rule === undefined) {
    return {
      name: "",
      description: "",
      enabled: true,
      evaltype: AND_OR,
      formula: "",
      conditions: [newCondition([])],
      closesOld: true,
      closesNew: false,
    };
  }
  const { evaltype, formula, conditions } = rule.filter;
  const closes = (type: string) => rule.operations.some((it) => it.type === type);
  return {
    name: rule.name,
    description: rule.description,
    enabled: rule.status === "0",
    evaltype,
    formula,
    conditions: conditions.map((it, at) => ({
      ...newCondition([]),
      ...defined(it),
      formulaid: evaltype === FORMULA ? it.formulaid : letterAt(at),
    })),
    closesOld: closes(CLOSE_OLD),
    closesNew: closes(CLOSE_NEW),
  };
}

/** Only what the type has: the server refuses the rest. */
function contentOf(it: ConditionFields): object {
  switch (it.type) {
    case OLD_TAG:
    case NEW_TAG:
      return { tag: it.tag.trim() };
    case NEW_GROUP:
      return { groupid: it.groupid, operator: it.operator };
    case TAG_PAIR:
      return { oldtag: it.oldtag.trim(), newtag: it.newtag.trim() };
    default:
      return { tag: it.tag.trim(), operator: it.operator, value: it.value };
  }
}

export function draftOf(fields: CorrelationFields): CorrelationDraft {
  const isOwn = fields.evaltype === FORMULA;
  return {
    name: fields.name.trim(),
    description: fields.description,
    status: fields.enabled ? "0" : "1",
    filter: {
      evaltype: fields.evaltype,
      ...(isOwn ? { formula: fields.formula.trim() } : {}),
      conditions: fields.conditions.map((it) => ({
        type: it.type,
        ...contentOf(it),
        ...(isOwn ? { formulaid: it.formulaid } : {}),
      })),
    },
    operations: [
      ...(fields.closesOld ? [{ type: CLOSE_OLD }] : []),
      ...(fields.closesNew ? [{ type: CLOSE_NEW }] : []),
    ],
  };
}

/** Why a condition is not complete. */
export function conditionError(it: ConditionFields): string | undefined {
  if (it.type === NEW_GROUP) return it.groupid === "" ? t("a host group is required") : undefined;
  if (it.type === TAG_PAIR) {
    return it.oldtag.trim() === "" || it.newtag.trim() === ""
      ? t("two tags are required")
      : undefined;
  }
  return it.tag.trim() === "" ? t("a tag is required") : undefined;
}

export function isComplete(fields: CorrelationFields): boolean {
  const letters = fields.conditions.map(({ formulaid }) => formulaid);
  return (
    checkName(fields.name).ok &&
    fields.conditions.length > 0 &&
    fields.conditions.every((it) => conditionError(it) === undefined) &&
    (fields.evaltype !== FORMULA || checkFormula(fields.formula, letters).ok) &&
    (fields.closesOld || fields.closesNew)
  );
}

export type GroupName = (groupid: string) => string;

/** A condition as a sentence. */
export function conditionText(it: ConditionFields, groupName: GroupName): string {
  const operator = OPERATOR_NAMES[Number(it.operator)] ?? it.operator;
  const given = (text: string) => (text.trim() === "" ? "…" : text.trim());
  const { tag, value } = it;
  switch (it.type) {
    case OLD_TAG:
      return t("the old event has the tag {tag}", { tag: given(tag) });
    case NEW_TAG:
      return t("the new event has the tag {tag}", { tag: given(tag) });
    case NEW_GROUP: {
      const group = it.groupid === "" ? "…" : groupName(it.groupid);
      return t("the host group of the new event {operator} {group}", { operator, group });
    }
    case TAG_PAIR:
      return t("the value of old event tag {old} equals the value of new event tag {new}", {
        old: given(it.oldtag),
        new: given(it.newtag),
      });
    case OLD_VALUE:
      return t("{tag} of the old event {operator} “{value}”", { tag: given(tag), operator, value });
    default:
      return t("{tag} of the new event {operator} “{value}”", { tag: given(tag), operator, value });
  }
}

export function operationsText({ operations }: Pick<Correlation, "operations">): string {
  const names = operations.map(({ type }) =>
    type === CLOSE_OLD ? t("close old events") : t("close new event"),
  );
  return names.join(", ");
}

const OF_OLD: readonly string[] = [OLD_TAG, TAG_PAIR, OLD_VALUE];

/** What a rule does that one might not expect of it. */
export function warningOf(fields: CorrelationFields): string | undefined {
  const ofOld = fields.conditions.filter(({ type }) => OF_OLD.includes(type));
  const names = ofOld.some(
    (it) => it.type !== OLD_VALUE || it.operator === "0" || it.operator === "2",
  );
  if (fields.closesOld && ofOld.length === 0) {
    return t(
      "Without a condition on old events, each matching new event closes all open problems.",
    );
  }
  return ofOld.length > 0 && !names
    ? t("Old events are selected by exclusion only: the rule checks each open problem.")
    : undefined;
}
