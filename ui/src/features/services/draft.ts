// A service while it is edited.

import { checkField, newFields } from "@/api/described";
import { SERVICE } from "@/api/generated/service";
import type { ConditionTag, Service, ServiceDraft, ServiceName, StatusRule } from "@/api/services";
import type { Tag } from "@/api/types";
import { type Check, checkName } from "@/lib/check";
import { t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, severityName } from "@/lib/severity";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface ServiceFields {
  readonly name: string;
  readonly algorithm: string;
  readonly sortorder: string;
  readonly weight: string;
  readonly propagation_rule: string;
  readonly propagation_value: string;
  readonly description: string;
  readonly tags: readonly Keyed<Tag>[];
  readonly problem_tags: readonly Keyed<ConditionTag>[];
  readonly parents: readonly ServiceName[];
  readonly children: readonly ServiceName[];
  readonly status_rules: readonly Keyed<StatusRule>[];
}

const { fields: FIELDS } = SERVICE;
const { INCREASE, DECREASE, FIXED } = FIELDS.propagation_rule.names;
const { names: OPERATOR } = FIELDS.problem_tags.fields.operator;

export function fieldsOf(
  service: Service | undefined,
  parents: readonly ServiceName[],
): ServiceFields {
  if (service === undefined) {
    return {
      ...newFields(FIELDS),
      algorithm: FIELDS.algorithm.names.MOST_CRITICAL,
      sortorder: "0",
      tags: [],
      problem_tags: [],
      parents,
      children: [],
      status_rules: [],
    };
  }
  return {
    ...service,
    tags: service.tags.map(keyed),
    problem_tags: service.problem_tags.map(keyed),
    status_rules: service.status_rules.map(keyed),
  };
}

export function draftOf(fields: ServiceFields): ServiceDraft {
  const reference = ({ serviceid }: ServiceName) => ({ serviceid });
  return {
    name: fields.name.trim(),
    algorithm: fields.algorithm,
    sortorder: fields.sortorder.trim(),
    weight: fields.weight.trim(),
    propagation_rule: fields.propagation_rule,
    propagation_value: takesPropagation(fields.propagation_rule) ? fields.propagation_value : "0",
    description: fields.description,
    tags: fields.tags.filter(({ tag }) => tag !== "").map(({ tag, value }) => ({ tag, value })),
    problem_tags: fields.problem_tags
      .filter(({ tag }) => tag !== "")
      .map(({ tag, operator, value }) => ({ tag, operator, value })),
    parents: fields.parents.map(reference),
    children: fields.children.map(reference),
    status_rules: fields.status_rules.map(({ type, limit_value, limit_status, new_status }) => ({
      type,
      limit_value: limit_value.trim(),
      limit_status,
      new_status,
    })),
  };
}

export const checkSortOrder = (text: string) => checkField(FIELDS.sortorder, text);
export const checkWeight = (text: string) => checkField(FIELDS.weight, text);

/** Rules in percent have odd codes. */
export function checkLimit(type: string, text: string): Check {
  const { limit_value } = FIELDS.status_rules.fields;
  return checkField(Number(type) % 2 === 1 ? { ...limit_value, max: 100 } : limit_value, text);
}

export function isComplete(fields: ServiceFields): boolean {
  return (
    checkName(fields.name).ok &&
    checkSortOrder(fields.sortorder).ok &&
    checkWeight(fields.weight).ok &&
    !hasBoth(fields) &&
    fields.status_rules.every(({ type, limit_value }) => checkLimit(type, limit_value).ok)
  );
}

/** A service has problems or children. */
export function hasBoth({ children, problem_tags }: ServiceFields): boolean {
  return children.length > 0 && problem_tags.some(({ tag }) => tag !== "");
}

export function takesPropagation(rule: string): boolean {
  return rule === INCREASE || rule === DECREASE || rule === FIXED;
}

/** What is chosen when a rule of propagation is: a value that it can have. */
export function propagationValue(rule: string): string {
  return rule === FIXED ? "-1" : takesPropagation(rule) ? "1" : "0";
}

export function newCondition(): Keyed<ConditionTag> {
  return keyed(newFields(FIELDS.problem_tags.fields));
}

export function newRule(): Keyed<StatusRule> {
  return keyed({ type: "0", limit_value: "1", limit_status: "4", new_status: "4" });
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function options(names: readonly string[]): Option[] {
  return names.map((name, code) => ({ value: String(code), label: name }));
}

export function algorithmOptions(): Option[] {
  return options([
    t("Set status to OK"),
    t("Most critical if all children have problems"),
    t("Most critical of child services"),
  ]);
}

export function propagationOptions(): Option[] {
  return options([
    t("As is"),
    t("Increase by"),
    t("Decrease by"),
    t("Ignore this service"),
    t("Fixed status"),
  ]);
}

export function propagationValueOptions(rule: string): Option[] {
  if (rule === FIXED) return statusOptions();
  return [1, 2, 3, 4, 5].map((n) => ({ value: String(n), label: String(n) }));
}

export function ruleOptions(): Option[] {
  return options([
    t("At least N children have"),
    t("At least N% of children have"),
    t("Less than N children have"),
    t("Less than N% of children have"),
    t("Weight of children with it is at least"),
    t("Weight of children with it is at least %"),
    t("Weight of children with it is less than"),
    t("Weight of children with it is less than %"),
  ]);
}

export function severityOptions(): Option[] {
  return SEVERITIES_WORST_FIRST.map((it) => ({ value: String(it), label: severityName(it) }));
}

export function statusOptions(): Option[] {
  return [...severityOptions(), { value: "-1", label: t("OK") }];
}

export function operatorOptions(): Option[] {
  return [
    { value: OPERATOR.EQUALS, label: t("Equals") },
    { value: OPERATOR.CONTAINS, label: t("Contains") },
  ];
}
