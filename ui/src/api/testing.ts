// Tests before anything is saved: preprocessing steps on a value, an expression on what is known now
// and on stored history. Nothing here changes anything on the server.

import * as z from "zod/mini";
import { checked } from "./checked";
import type { ItemCreate } from "./generated/item";
import type { InterfaceOfHostCreate } from "./generated/parts";
import { ApiError, http } from "./http";
import type * as schema from "./schema";
import type { Id, PreprocessingStep, Tag } from "./types";

/** How a step dealt with a value. */
export interface StepResult {
  /** its parameters as they were used, macros resolved */
  readonly params: string | undefined;
  /** the value after the step; undefined: discarded, failed or not reached */
  readonly result: string | undefined;
  readonly isDiscarded: boolean;
  /** what the step itself said */
  readonly error: string | undefined;
  /** what its failure handling did: 1 discarded, 2 set a value, 3 set an error */
  readonly action: 0 | 1 | 2 | 3;
  /** the error that was set */
  readonly failed: string | undefined;
}

export interface StepsTest {
  readonly hostid: Id;
  readonly valueType: number;
  readonly steps: readonly PreprocessingStep[];
  /** values that are typed in for macros of the steps */
  readonly macros: readonly TypedMacro[];
  readonly value: string;
  /** the value is the error of a check */
  readonly isError: boolean;
  readonly previous: { readonly value: string; readonly ageS: number } | undefined;
}

export interface TypedMacro {
  /** as written, {$NAME:context} or {#NAME} */
  readonly macro: string;
  readonly value: string;
}

/** An item, saved or not, of which a value can be asked for. */
export interface ItemToAsk {
  readonly hostid: Id;
  readonly itemid: Id | undefined;
  /** as the form has it, where it differs or is all there is */
  readonly item: Partial<ItemCreate> | undefined;
  /** values that are typed in for macros of it */
  readonly macros?: readonly TypedMacro[];
}

/** What was said while a host was asked, without secrets. */
export type ExchangeLine = schema.Read<typeof exchangeLines>[number];

/** A value that the steps will get, or the error that stands for it. */
export interface GivenValue {
  readonly value: string;
  readonly isError: boolean;
  /** seconds since the epoch */
  readonly clock: number;
  /** the value is longer than the returned or stored part */
  readonly isCut: boolean;
  /** what each function of a calculated item gave */
  readonly functions: readonly Evaluated[];
  /** of an item that was asked for */
  readonly exchange: readonly ExchangeLine[];
}

export interface StepsTestResult {
  readonly steps: readonly StepResult[];
  /** the value as it would be stored */
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** the steps failed already on the value before */
  readonly inPrevious: boolean;
}

/** A part of an expression, with what it gives: a value or an error. */
export type Evaluated = schema.Read<typeof evaluated>;
/** A function over an item's history, with the newest values that it looked at, newest first. */
export type EvaluatedFunction = schema.Read<typeof evaluatedFunction>;
/** With what its operators make, inner parts first. */
export type ExpressionEvaluation = schema.Read<typeof expressionEvaluation>;

export interface Evaluation {
  /** seconds since the epoch */
  readonly clock: number;
  readonly functions: readonly EvaluatedFunction[];
  readonly problem: ExpressionEvaluation;
  readonly recovery: ExpressionEvaluation | undefined;
}

/** A trigger as the form has it. */
export interface TriggerTrial {
  readonly hostid: Id;
  readonly triggerid: Id | undefined;
  readonly name: string;
  readonly expression: string;
  /** 0 expression, 1 recovery expression, 2 none */
  readonly recoveryMode: number;
  readonly recoveryExpression: string;
  readonly multiple: boolean;
  /** undefined: a recovery closes all problems */
  readonly correlationTag: string | undefined;
  readonly tags: readonly Tag[];
}

export interface ExpressionItem {
  readonly itemid: Id;
  readonly name: string;
  readonly units: string;
  readonly valueType: number;
}

const stepResult = z.object({
  params: z.optional(z.string()),
  result: z.optional(z.nullable(z.string())),
  error: z.optional(z.object({ value: z.string() })),
  action: z.optional(z.number()),
  failed: z.optional(z.string()),
});

/** Null where there is none. */
export const maybe = z.pipe(
  z.optional(z.nullable(z.union([z.string(), z.number()]))),
  z.transform((value) => (value === null || value === undefined ? undefined : String(value))),
);

/** Server (asked), peer (answered) or log (what happened), and bytes that are not shown. */
const exchangeLines = z.pipe(
  z.array(z.object({ by: z.string(), text: z.string(), left_out: z.number() })),
  z.transform((lines) => lines.map(({ left_out: leftOut, ...line }) => ({ ...line, leftOut }))),
);

const failedTest = z.object({ error: z.object({ exchange: exchangeLines }) });

/** What was said before it was known that there is no value. */
export function exchangeOf(error: unknown): readonly ExchangeLine[] {
  if (!(error instanceof ApiError)) return [];
  const parsed = failedTest.safeParse(error.answer);
  return parsed.success ? parsed.data.error.exchange : [];
}

const evaluated = z.object({ text: z.string(), value: maybe, error: maybe });

const itemTest = z.object({
  previous: z.optional(z.boolean()),
  steps: z.array(stepResult),
  result: z.optional(z.nullable(z.string())),
  error: z.optional(z.string()),
  input: z.object({
    value: z.string(),
    not_supported: z.boolean(),
    truncated: z.optional(z.boolean()),
    clock: z.number(),
  }),
  functions: z.optional(z.array(evaluated)),
  exchange: z.optional(exchangeLines),
});

async function testItem(body: object) {
  const answer = await http("/api/v1/test/item", { method: "POST", body });
  return checked("item test", answer, itemTest);
}

export async function testSteps(test: StepsTest): Promise<StepsTestResult> {
  const { hostid, valueType, steps, macros, value, isError, previous } = test;
  const answer = await testItem({
    hostid,
    source: "value",
    value,
    not_supported: isError ? 1 : 0,
    value_type: valueType,
    steps,
    ...(macros.length === 0 ? {} : { macros }),
    ...(previous === undefined
      ? {}
      : { previous: previous.value, previous_age_s: Math.max(0, Math.round(previous.ageS)) }),
  });
  return {
    steps: answer.steps.map(
      (it): StepResult => ({
        params: it.params,
        result: it.result ?? undefined,
        // a check of errors passes on those that are not its own
        isDiscarded: it.result === null && answer.error === undefined,
        error: it.error?.value,
        action: ([0, 1, 2, 3] as const).find((action) => action === it.action) ?? 0,
        failed: it.failed,
      }),
    ),
    result: answer.result ?? undefined,
    error: answer.error,
    inPrevious: answer.previous === true,
  };
}

/** The item's latest value, or one that its host gives right now. */
export async function fetchGivenValue(
  { hostid, itemid, item, macros = [] }: ItemToAsk,
  source: "latest" | "host",
): Promise<GivenValue> {
  const { input, functions, exchange } = await testItem({
    hostid,
    ...(itemid === undefined ? {} : { itemid }),
    ...(item === undefined ? {} : { item }),
    ...(macros.length === 0 ? {} : { macros }),
    source,
    steps: [],
  });
  const isCut = input.truncated === true;
  return {
    value: input.value,
    isError: input.not_supported,
    clock: input.clock,
    isCut,
    functions: functions ?? [],
    exchange: exchange ?? [],
  };
}

const expressionEvaluation = z.pipe(
  z.extend(evaluated, { is_true: z.nullable(z.boolean()), parts: z.array(evaluated) }),
  z.transform(({ is_true, ...it }) => ({ ...it, isTrue: is_true ?? undefined })),
);

const evaluatedFunction = z.pipe(
  z.extend(evaluated, {
    /** of the item, if it is there */
    name: maybe,
    n_values: z.number(),
    values: z.array(z.object({ clock: z.number(), value: z.string() })),
  }),
  z.transform(({ name, n_values, ...it }) => ({ ...it, item: name, nValues: n_values })),
);

const evaluation = z.object({
  clock: z.number(),
  expression: expressionEvaluation,
  recovery_expression: z.nullable(expressionEvaluation),
  functions: z.array(evaluatedFunction),
});

export async function evaluateTrigger(
  trial: TriggerTrial,
  signal?: AbortSignal,
): Promise<Evaluation> {
  const { hostid, expression, recoveryExpression } = trial;
  const body = { hostid, expression, recovery_expression: recoveryExpression };
  const answer = await http("/api/v1/test/expression", { method: "POST", body, signal });
  const report = checked("evaluation", answer, evaluation);
  const { clock, functions, expression: problem, recovery_expression: recovery } = report;
  // functions have their own table, with their values
  const known = new Set(functions.map((it) => it.text));
  const whole = (it: ExpressionEvaluation) => ({
    ...it,
    parts: it.parts.filter(({ text }) => !known.has(text)),
  });
  return {
    clock,
    functions,
    problem: whole(problem),
    recovery: recovery === null ? undefined : whole(recovery),
  };
}

/** Kinds of interfaces at which something can be asked: agent, SNMP, JMX. */
export function canTryInterface(type: string): boolean {
  return type === "1" || type === "2" || type === "4";
}

/** An interface as it is typed, with what else of its host counts for it; of a host that is not saved without its id. */
export interface InterfaceToTry {
  readonly hostid: Id | undefined;
  readonly interface: InterfaceOfHostCreate;
  /** of the host, those with a value */
  readonly macros: readonly TypedMacro[];
  /** fields `tls_…` of the host, for agents */
  readonly encryption: object;
}

const interfaceTest = z.object({
  value: z.string(),
  not_supported: z.boolean(),
  truncated: z.boolean(),
  clock: z.number(),
  exchange: z.optional(exchangeLines),
});

/** Asks what answers at an interface; nothing is saved. */
export async function tryInterface({
  hostid,
  interface: at,
  macros,
  encryption,
}: InterfaceToTry): Promise<GivenValue> {
  const body = {
    ...(hostid === undefined ? {} : { hostid }),
    interface: at,
    ...(macros.length === 0 ? {} : { macros }),
    ...encryption,
  };
  const answer = await http("/api/v1/test/interface", { method: "POST", body });
  const report = checked("interface test", answer, interfaceTest);
  return {
    value: report.value,
    isError: report.not_supported,
    clock: report.clock,
    isCut: report.truncated,
    functions: [],
    exchange: report.exchange ?? [],
  };
}
