// An action while it is edited: what the form holds, what it checks, what is sent.

import type { Action, ActionCondition, ActionDraft, ActionOperation } from "@/api/actions";
import { ACTION } from "@/api/generated/action";
import type { Id, Tag } from "@/api/types";
import { bad, type Check, checkName, OK } from "@/lib/check";
import { defined } from "@/lib/draft";
import { AND_OR, checkFormula, FORMULA, freeLetter, letterAt } from "@/lib/formula";
import { t } from "@/lib/i18n";
import { checkPeriod, intervalSeconds } from "@/lib/interval";
import { type Keyed, keyed } from "@/widgets/keyed";
import { cleanTags } from "@/widgets/tag-editor";
import {
  AUTOREGISTRATION,
  type Choice,
  conditionKind,
  conditionKinds,
  DISCOVERY,
  fixedOptions,
  INTERNAL,
  type NameOf,
  SERVICES,
  TRIGGERS,
} from "./conditions";
import type { Step } from "./timeline";

export type OperationList = "operations" | "recovery_operations" | "update_operations";

const { names: OPERATIONS } = ACTION.fields.operations.fields.operationtype;
export const { MESSAGE, SCRIPT: COMMAND } = OPERATIONS;
const { RECOVERY_MESSAGE, UPDATE_MESSAGE } = OPERATIONS;

/** An operation of any kind; only what its kind has is sent. */
export interface OperationFields {
  readonly operationtype: string;
  readonly esc_period: string;
  readonly esc_step_from: string;
  readonly esc_step_to: string;
  /** values of the conditions on being acknowledged, as they are sent: "", "0", "1", "0,1" */
  readonly acknowledged: string;
  readonly evaltype: string;
  readonly default_msg: string;
  readonly mediatypeid: Id;
  readonly subject: string;
  readonly message: string;
  readonly userGroups: readonly Id[];
  readonly users: readonly Id[];
  /** On-call schedules, kept as they are: the form has no field for them. */
  readonly oncall: readonly Id[];
  readonly scriptid: Id;
  readonly onEventHost: boolean;
  readonly hosts: readonly Id[];
  readonly hostGroups: readonly Id[];
  readonly templates: readonly Id[];
  readonly inventory_mode: string;
  readonly tags: readonly Keyed<Tag>[];
}

export interface ActionFields {
  readonly name: string;
  readonly eventsource: string;
  readonly status: string;
  readonly esc_period: string;
  readonly pause_symptoms: string;
  readonly pause_suppressed: string;
  readonly notify_if_canceled: string;
  readonly evaltype: string;
  readonly formula: string;
  readonly conditions: readonly Keyed<ActionCondition>[];
  readonly operations: readonly Keyed<OperationFields>[];
  readonly recovery_operations: readonly Keyed<OperationFields>[];
  readonly update_operations: readonly Keyed<OperationFields>[];
}

const SOURCES_WITH_PROBLEMS: readonly string[] = [TRIGGERS, INTERNAL, SERVICES];

/** Problems last: there are steps, and their end. */
export function hasProblems(source: string): boolean {
  return SOURCES_WITH_PROBLEMS.includes(source);
}

export function hasList(source: string, list: OperationList): boolean {
  if (list === "operations") return true;
  if (list === "recovery_operations") return hasProblems(source);
  return source === TRIGGERS || source === SERVICES;
}

const OPERATION_NAMES: Readonly<Record<string, string>> = {
  [MESSAGE]: t("Send message"),
  [COMMAND]: t("Execute script"),
  [OPERATIONS.ADD_HOST]: t("Add host"),
  [OPERATIONS.REMOVE_HOST]: t("Remove host"),
  [OPERATIONS.ADD_TO_GROUP]: t("Add to host group"),
  [OPERATIONS.REMOVE_FROM_GROUP]: t("Remove from host group"),
  [OPERATIONS.LINK_TEMPLATE]: t("Link template"),
  [OPERATIONS.UNLINK_TEMPLATE]: t("Unlink template"),
  [OPERATIONS.ENABLE_HOST]: t("Enable host"),
  [OPERATIONS.DISABLE_HOST]: t("Disable host"),
  [OPERATIONS.INVENTORY_MODE]: t("Set inventory mode"),
  [RECOVERY_MESSAGE]: t("Notify all involved"),
  [UPDATE_MESSAGE]: t("Notify all involved"),
  [OPERATIONS.ADD_TAGS]: t("Add host tags"),
  [OPERATIONS.REMOVE_TAGS]: t("Remove host tags"),
};

export function operationName(type: string): string {
  return OPERATION_NAMES[type] ?? type;
}

const TO_HOSTS: readonly string[] = [
  OPERATIONS.ADD_HOST,
  OPERATIONS.ADD_TO_GROUP,
  OPERATIONS.LINK_TEMPLATE,
  OPERATIONS.DISABLE_HOST,
  OPERATIONS.INVENTORY_MODE,
  OPERATIONS.ADD_TAGS,
  OPERATIONS.REMOVE_TAGS,
];
const TO_DEVICES: readonly string[] = [
  OPERATIONS.ADD_HOST,
  OPERATIONS.REMOVE_HOST,
  OPERATIONS.ADD_TO_GROUP,
  OPERATIONS.REMOVE_FROM_GROUP,
  OPERATIONS.LINK_TEMPLATE,
  OPERATIONS.UNLINK_TEMPLATE,
  OPERATIONS.ENABLE_HOST,
  OPERATIONS.DISABLE_HOST,
  OPERATIONS.INVENTORY_MODE,
  OPERATIONS.ADD_TAGS,
  OPERATIONS.REMOVE_TAGS,
];

function operationTypes(source: string, list: OperationList): readonly string[] {
  if (source === AUTOREGISTRATION) return [MESSAGE, COMMAND, ...TO_HOSTS];
  if (source === DISCOVERY) return [MESSAGE, COMMAND, ...TO_DEVICES];
  const own = source === INTERNAL ? [MESSAGE] : [MESSAGE, COMMAND];
  if (list === "recovery_operations") return [RECOVERY_MESSAGE, ...own];
  if (list === "update_operations") return [UPDATE_MESSAGE, ...own];
  return own;
}

export function operationOptions(source: string, list: OperationList): readonly Choice[] {
  return operationTypes(source, list).map((value) => ({ value, label: operationName(value) }));
}

export function newOperation(source: string, list: OperationList): Keyed<OperationFields> {
  const [operationtype = MESSAGE] = operationTypes(source, list);
  return keyed({
    operationtype,
    esc_period: "0",
    esc_step_from: "1",
    esc_step_to: "1",
    acknowledged: "",
    evaltype: AND_OR,
    default_msg: "1",
    mediatypeid: "0",
    subject: "",
    message: "",
    userGroups: [],
    users: [],
    oncall: [],
    scriptid: "",
    onEventHost: true,
    hosts: [],
    hostGroups: [],
    templates: [],
    inventory_mode: "0",
    tags: [],
  });
}

/** What is not given of an operation stays as in a new one. */
function operationFields(source: string, list: OperationList) {
  return (it: ActionOperation): Keyed<OperationFields> => {
    const empty = newOperation(source, list);
    const hosts = (it.opcommand_hst ?? []).map(({ hostid }) => hostid);
    const groups = [...(it.opcommand_grp ?? []), ...(it.opgroup ?? [])];
    return {
      ...empty,
      ...defined(it.opmessage),
      ...defined({
        esc_period: it.esc_period,
        esc_step_from: it.esc_step_from,
        esc_step_to: it.esc_step_to,
        evaltype: it.evaltype,
      }),
      operationtype: it.operationtype,
      acknowledged: (it.opconditions ?? []).map(({ value }) => value).join(","),
      userGroups: (it.opmessage_grp ?? []).map(({ usrgrpid }) => usrgrpid),
      users: (it.opmessage_usr ?? []).map(({ userid }) => userid),
      oncall: (it.opmessage_oncall ?? []).map(({ oncallid }) => oncallid),
      scriptid: it.opcommand?.scriptid ?? "",
      onEventHost: hosts.includes("0"),
      hosts: hosts.filter((hostid) => hostid !== "0"),
      hostGroups: groups.map(({ groupid }) => groupid),
      templates: (it.optemplate ?? []).map(({ templateid }) => templateid),
      inventory_mode: it.opinventory?.inventory_mode ?? "0",
      tags: (it.optag ?? []).map(({ tag, value }) => keyed({ tag, value })),
    };
  };
}

/** A new action notifies of problems, their recovery and their updates. */
function newFields(source: string): ActionFields {
  return {
    name: "",
    eventsource: source,
    status: "0",
    esc_period: "1h",
    pause_symptoms: "1",
    pause_suppressed: "1",
    notify_if_canceled: "1",
    evaltype: AND_OR,
    formula: "",
    conditions: [],
    operations: [newOperation(source, "operations")],
    recovery_operations: hasList(source, "recovery_operations")
      ? [newOperation(source, "recovery_operations")]
      : [],
    update_operations: hasList(source, "update_operations")
      ? [newOperation(source, "update_operations")]
      : [],
  };
}

const NO_FILTER = { evaltype: AND_OR, formula: "", conditions: [] } as const;

export function fieldsOf(action: Action | undefined, source: string): ActionFields {
  if (action === undefined) return newFields(source);
  const { actionid: _, filter = NO_FILTER, ...same } = action;
  const of = (list: OperationList) => action[list].map(operationFields(action.eventsource, list));
  return {
    ...same,
    evaltype: filter.evaltype ?? AND_OR,
    formula: filter.formula,
    conditions: filter.conditions.map(({ operator = "0", ...it }, at) =>
      keyed({
        ...it,
        operator,
        formulaid: filter.evaltype === FORMULA ? it.formulaid : letterAt(at),
      }),
    ),
    operations: of("operations"),
    recovery_operations: of("recovery_operations"),
    update_operations: of("update_operations"),
  };
}

/** A first value that can be saved where there is one. */
function firstValue(code: string): string {
  const { value } = conditionKind(code);
  if (value === "severity") return "3";
  const [first] = fixedOptions(value) ?? [];
  if (first !== undefined) return first.value;
  return value === "period" ? "1-7,00:00-24:00" : "";
}

export function conditionOf(code: string, formulaid: string): ActionCondition {
  const [operator = "0"] = conditionKind(code).operators;
  return { conditiontype: code, operator, value: firstValue(code), value2: "", formulaid };
}

export function newCondition(fields: ActionFields): Keyed<ActionCondition> {
  const [kind] = conditionKinds(fields.eventsource);
  const taken = fields.conditions.map(({ formulaid }) => formulaid);
  return keyed(conditionOf(kind?.code ?? "25", freeLetter(taken)));
}

// ---- checks

const PERIOD_MIN = 60;
const PERIOD_MAX = 7 * 86_400;

export function checkStepPeriod(text: string): Check {
  const form = checkPeriod(text);
  if (!form.ok) return form;
  const seconds = intervalSeconds(text);
  if (seconds === undefined || (PERIOD_MIN <= seconds && seconds <= PERIOD_MAX)) return OK;
  return bad(t("60 s to 1 week"), 0);
}

export function checkOwnPeriod(text: string): Check {
  return text.trim() === "0" || text.trim() === "" ? OK : checkStepPeriod(text);
}

const STEP_MAX = 99_999;

export function checkFrom(text: string): Check {
  const isOne = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= STEP_MAX;
  return isOne ? OK : bad(t("a step: 1 or more"), 0);
}

export function checkTo(from: string, to: string): Check {
  if (!/^\d+$/.test(to) || Number(to) > STEP_MAX) return bad(t("a step; 0: without end"), 0);
  if (to === "0" || Number(to) >= Number(from)) return OK;
  return bad(t("not before the first step"), 0);
}

/** Why a condition is not complete. */
export function conditionError(condition: ActionCondition): string | undefined {
  const { value } = conditionKind(condition.conditiontype);
  if (value === "none") return undefined;
  if (value === "tagValue") {
    return condition.value2.trim() === "" ? t("a tag is required") : undefined;
  }
  return condition.value.trim() === "" ? t("a value is required") : undefined;
}

/** Why an operation is not complete. */
export function operationError(it: OperationFields): string | undefined {
  switch (it.operationtype) {
    case MESSAGE:
      return it.users.length + it.userGroups.length + it.oncall.length === 0
        ? t("a user, a group or an on-call schedule is required")
        : undefined;
    case COMMAND:
      return it.scriptid === "" ? t("a script is required") : undefined;
    case "4":
    case "5":
      return it.hostGroups.length === 0 ? t("a host group is required") : undefined;
    case "6":
    case "7":
      return it.templates.length === 0 ? t("a template is required") : undefined;
    case "13":
    case "14":
      return cleanTags(it.tags).length === 0 ? t("a tag is required") : undefined;
    default:
      return undefined;
  }
}

export function formulaCheck(fields: ActionFields): Check {
  if (fields.evaltype !== FORMULA) return OK;
  return checkFormula(
    fields.formula,
    fields.conditions.map(({ formulaid }) => formulaid),
  );
}

export const LISTS: readonly OperationList[] = [
  "operations",
  "recovery_operations",
  "update_operations",
];

function areStepsComplete(fields: ActionFields): boolean {
  if (!hasProblems(fields.eventsource)) return true;
  return fields.operations.every(
    (it) =>
      checkFrom(it.esc_step_from).ok &&
      checkTo(it.esc_step_from, it.esc_step_to).ok &&
      checkOwnPeriod(it.esc_period).ok,
  );
}

export function hasAnyOperation(fields: ActionFields): boolean {
  return LISTS.some((list) => hasList(fields.eventsource, list) && fields[list].length > 0);
}

export function isComplete(fields: ActionFields): boolean {
  return (
    checkName(fields.name).ok &&
    (!hasProblems(fields.eventsource) || checkStepPeriod(fields.esc_period).ok) &&
    fields.conditions.every((it) => conditionError(it) === undefined) &&
    formulaCheck(fields).ok &&
    hasAnyOperation(fields) &&
    areStepsComplete(fields) &&
    LISTS.every((list) => fields[list].every((it) => operationError(it) === undefined))
  );
}

// ---- what is sent

/** Only what the source and the types know: the server refuses the rest. */
export function draftOf(fields: ActionFields): ActionDraft {
  const { name, eventsource, status, esc_period, pause_suppressed, pause_symptoms } = fields;
  const isOfTriggers = eventsource === TRIGGERS;
  const draft = {
    name: name.trim(),
    eventsource,
    status,
    ...(hasProblems(eventsource) ? { esc_period: esc_period.trim() } : {}),
    ...(isOfTriggers
      ? { pause_suppressed, pause_symptoms, notify_if_canceled: fields.notify_if_canceled }
      : {}),
    filter: filterOf(fields),
    ...Object.fromEntries(
      LISTS.filter((list) => hasList(eventsource, list)).map((list) => [
        list,
        fields[list].map((it) => operationOf(it, eventsource, list)),
      ]),
    ),
  };
  return draft as ActionDraft;
}

function filterOf({ evaltype, formula, conditions }: ActionFields) {
  const isOwn = evaltype === FORMULA;
  return {
    evaltype: conditions.length === 0 ? AND_OR : evaltype,
    ...(isOwn && conditions.length > 0 ? { formula: formula.trim() } : {}),
    conditions: conditions.map((it) => {
      const kind = conditionKind(it.conditiontype).value;
      return {
        conditiontype: it.conditiontype,
        operator: it.operator,
        ...(kind === "none" ? {} : { value: it.value }),
        ...(kind === "tagValue" ? { value2: it.value2 } : {}),
        ...(isOwn ? { formulaid: it.formulaid } : {}),
      };
    }),
  };
}

function operationOf(it: OperationFields, source: string, list: OperationList) {
  const hasSteps = list === "operations" && hasProblems(source);
  const hasConditions = list === "operations" && source === TRIGGERS;
  const asked = it.acknowledged === "" ? [] : it.acknowledged.split(",");
  return {
    operationtype: it.operationtype,
    ...(hasSteps
      ? {
          esc_period: it.esc_period.trim() === "" ? "0" : it.esc_period.trim(),
          esc_step_from: it.esc_step_from,
          esc_step_to: it.esc_step_to,
        }
      : {}),
    ...(hasConditions
      ? {
          evaltype: it.evaltype,
          opconditions: asked.map((value) => ({ conditiontype: "14", operator: "0", value })),
        }
      : {}),
    ...contentOf(it, source),
  };
}

function messageOf(it: OperationFields) {
  const own = it.default_msg === "1" ? {} : { subject: it.subject, message: it.message };
  const media = it.operationtype === RECOVERY_MESSAGE ? {} : { mediatypeid: it.mediatypeid };
  return { default_msg: it.default_msg, ...media, ...own };
}

const asGroups = (groups: readonly Id[]) => groups.map((groupid) => ({ groupid }));

function contentOf(it: OperationFields, source: string): object {
  switch (it.operationtype) {
    case MESSAGE:
      return {
        opmessage: messageOf(it),
        opmessage_grp: it.userGroups.map((usrgrpid) => ({ usrgrpid })),
        opmessage_usr: it.users.map((userid) => ({ userid })),
        ...(it.oncall.length === 0
          ? {}
          : { opmessage_oncall: it.oncall.map((oncallid) => ({ oncallid })) }),
      };
    case RECOVERY_MESSAGE:
    case UPDATE_MESSAGE:
      return { opmessage: messageOf(it) };
    case COMMAND:
      return {
        opcommand: { scriptid: it.scriptid },
        ...(source === SERVICES ? {} : targetsOf(it)),
      };
    case "4":
    case "5":
      return { opgroup: asGroups(it.hostGroups) };
    case "6":
    case "7":
      return { optemplate: it.templates.map((templateid) => ({ templateid })) };
    case "10":
      return { opinventory: { inventory_mode: it.inventory_mode } };
    case "13":
    case "14":
      return { optag: cleanTags(it.tags) };
    default:
      return {};
  }
}

function targetsOf(it: OperationFields) {
  const hosts = it.onEventHost ? ["0", ...it.hosts] : it.hosts;
  return {
    opcommand_hst: hosts.map((hostid) => ({ hostid })),
    opcommand_grp: asGroups(it.hostGroups),
  };
}

// ---- descriptions

function acknowledgedText(acknowledged: string): string {
  if (acknowledged === "0") return ` ${t("if not acknowledged")}`;
  return acknowledged === "1" ? ` ${t("if acknowledged")}` : "";
}

function whoText(it: OperationFields, nameOf: NameOf): string {
  const groups = it.userGroups.map((id) => nameOf("userGroup", id));
  const users = it.users.map((id) => nameOf("user", id));
  const onCall = it.oncall.map((id) =>
    t("users on call in {name}", { name: nameOf("schedule", id) }),
  );
  const all = [...groups, ...users, ...onCall];
  return all.length === 0 ? t("nobody yet") : all.join(", ");
}

/** What an operation does, in a few words. */
export function operationText(it: OperationFields, nameOf: NameOf): string {
  const named = (kind: "hostGroup" | "template", ids: readonly Id[]) =>
    ids.map((id) => nameOf(kind, id)).join(", ");
  switch (it.operationtype) {
    case MESSAGE: {
      const via =
        it.mediatypeid === "0"
          ? ""
          : ` ${t("by {name}", { name: nameOf("mediaType", it.mediatypeid) })}`;
      return `${t("message to {who}", { who: whoText(it, nameOf) })}${via}${acknowledgedText(it.acknowledged)}`;
    }
    case COMMAND: {
      const script = it.scriptid === "" ? "…" : nameOf("script", it.scriptid);
      return `${t("script {script}", { script })}${acknowledgedText(it.acknowledged)}`;
    }
    case RECOVERY_MESSAGE:
    case UPDATE_MESSAGE:
      return t("message to all involved");
    case "4":
    case "5":
      return `${operationName(it.operationtype)}: ${named("hostGroup", it.hostGroups)}`;
    case "6":
    case "7":
      return `${operationName(it.operationtype)}: ${named("template", it.templates)}`;
    case "13":
    case "14":
      return `${operationName(it.operationtype)}: ${cleanTags(it.tags)
        .map(({ tag, value }) => (value === "" ? tag : `${tag}: ${value}`))
        .join(", ")}`;
    default:
      return operationName(it.operationtype);
  }
}

/** Steps for the timeline; what is not a step yet is left out. */
export function timelineSteps(fields: ActionFields, nameOf: NameOf): readonly Step[] {
  return fields.operations
    .filter((it) => checkFrom(it.esc_step_from).ok && checkTo(it.esc_step_from, it.esc_step_to).ok)
    .map((it) => ({
      from: Number(it.esc_step_from),
      to: Number(it.esc_step_to),
      period: it.esc_period,
      text: operationText(it, nameOf),
    }));
}
