// One step: its kind, the parameters of that kind, and what happens when it fails.

import { ActionIcon, Button, Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Check } from "@/lib/check";
import { t } from "@/lib/i18n";
import { newParams, type StepKind, type StepParam, stepKind, stepKinds } from "@/lib/steps";
import { ofKind, type StepDraft } from "./draft";
import classes from "./steps.module.css";

export interface StepFieldsProps {
  readonly step: StepDraft;
  readonly check: Check | undefined;
  readonly n: number;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  /** a discovery rule has fewer kinds */
  readonly ofRule: boolean;
  readonly onChange: (change: Partial<StepDraft>) => void;
}

export function StepFields(props: StepFieldsProps) {
  const { step, check, n, disabled, showErrors, ofRule, onChange } = props;
  const kind = stepKind(step.type);
  const touched = step.params.some((it, at) => it !== (newParams(step.type)[at] ?? ""));
  const wrong =
    check !== undefined && !check.ok && (showErrors || touched || kind.params.length === 0);
  return (
    <div className={classes["fields"]}>
      <Select
        className={classes["kind"] ?? ""}
        aria-label={t("Kind of step {n}", { n })}
        data={kindOptions(kind, ofRule)}
        value={step.type}
        disabled={disabled}
        searchable
        maxDropdownHeight={420}
        // typing searches among all kinds, not among those that begin like the present one
        onFocus={(event) => event.currentTarget.select()}
        onChange={(type) => (type === null ? undefined : onChange(ofKind(step, type)))}
      />
      {kind.repeats === undefined ? (
        <Params {...props} kind={kind} wrong={wrong} />
      ) : (
        <Groups {...props} size={kind.repeats} kind={kind} />
      )}
      <FailureFields step={step} kind={kind} n={n} disabled={disabled} onChange={onChange} />
      {wrong && check !== undefined && !check.ok ? (
        <p className={classes["error"]}>{check.message}</p>
      ) : null}
    </div>
  );
}

function kindOptions({ type, name }: StepKind, ofRule: boolean) {
  const options = stepKinds(ofRule).map((it) => ({ value: String(it.type), label: it.name }));
  const known = options.some(({ value }) => value === String(type));
  return known ? options : [...options, { value: String(type), label: name }];
}

interface ParamsProps extends StepFieldsProps {
  readonly kind: StepKind;
  readonly wrong: boolean;
}

function Params({ step, kind, n, disabled, wrong, onChange }: ParamsProps) {
  const set = (at: number, value: string) => {
    const params = [...step.params];
    while (params.length <= at) params.push("");
    params[at] = value;
    // what another choice made of this line does not belong to the new one
    for (const param of kind.params) {
      if (param.at > at && param.when?.(params) === true && param.choices !== undefined) {
        params[param.at] = param.fallback ?? "";
      }
    }
    onChange({ params });
  };
  return kind.params
    .filter((param) => param.when?.(step.params) ?? true)
    .map((param) => (
      <ParamField
        key={`${param.at}-${param.name}`}
        param={param}
        label={t("{name} of step {n}", { name: param.name, n })}
        value={step.params[param.at] ?? ""}
        disabled={disabled}
        wrong={wrong}
        onChange={(value) => set(param.at, value)}
      />
    ));
}

interface ParamFieldProps {
  readonly param: StepParam;
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  readonly wrong: boolean;
  readonly onChange: (value: string) => void;
}

const ROWS_MIN = 3;
const ROWS_MAX = 16;

function ParamField({ param, label, value, disabled, wrong, onChange }: ParamFieldProps) {
  const name = param.name;
  const common = { "aria-label": label, disabled };
  if (param.form === "choice") {
    return (
      <Select
        {...common}
        className={classes["choice"] ?? ""}
        data={(param.choices ?? []).map((it) => ({ value: it.value, label: it.label }))}
        value={value === "" ? (param.fallback ?? null) : value}
        onChange={(next) => onChange(next ?? "")}
      />
    );
  }
  if (param.form === "flag") {
    return (
      <Checkbox
        {...common}
        className={classes["flag"] ?? ""}
        label={name}
        checked={value === "1"}
        onChange={(event) => onChange(event.currentTarget.checked ? "1" : "0")}
      />
    );
  }
  const text = {
    ...common,
    placeholder:
      param.placeholder === undefined || param.placeholder === "" ? name : param.placeholder,
    title: name,
    value,
    error: wrong,
    spellCheck: false,
    classNames: { input: "mono" },
  };
  if (param.form === "area") {
    const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, value.split("\n").length + 1));
    return (
      <Textarea
        {...text}
        className={classes["area"] ?? ""}
        rows={rows}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...text}
      className={classes["param"] ?? ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface GroupsProps extends StepFieldsProps {
  readonly kind: StepKind;
  readonly size: number;
}

/** Parameters that repeat: a line of fields for each. */
function Groups({ step, kind, size, n, disabled, onChange }: GroupsProps) {
  const count = Math.ceil(step.params.length / size);
  const set = (at: number, value: string) =>
    onChange({ params: step.params.map((it, i) => (i === at ? value : it)) });
  return (
    <div className={classes["groups"]}>
      {Array.from({ length: count }, (_, group) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no name but their place
        <div key={group} className={classes["group"]}>
          {kind.params.map((param) => (
            <ParamField
              key={param.name}
              param={param}
              label={t("{name} {m} of step {n}", { name: param.name, m: group + 1, n })}
              value={step.params[group * size + param.at] ?? ""}
              disabled={disabled}
              wrong={false}
              onChange={(value) => set(group * size + param.at, value)}
            />
          ))}
          {disabled || count === 1 ? null : (
            <ActionIcon
              aria-label={t("Remove field {m} of step {n}", { m: group + 1, n })}
              onClick={() =>
                onChange({
                  params: step.params.filter((_, at) => Math.floor(at / size) !== group),
                })
              }
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </div>
      ))}
      {disabled ? null : (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange({ params: [...step.params, ...newParams(kind.type)] })}
        >
          {t("Add field to step {n}", { n })}
        </Button>
      )}
    </div>
  );
}

const FAILURES = [
  ["0", t("on failure: not supported")],
  ["1", t("on failure: discard value")],
  ["2", t("on failure: set value")],
  ["3", t("on failure: set error")],
] as const;

interface FailureFieldsProps {
  readonly step: StepDraft;
  readonly kind: StepKind;
  readonly n: number;
  readonly disabled: boolean;
  readonly onChange: (change: Partial<StepDraft>) => void;
}

function FailureFields({ step, kind, n, disabled, onChange }: FailureFieldsProps) {
  // one that came from elsewhere is shown even where it could not be chosen
  if (kind.onFail.length === 0 && step.onFail === "0") return null;
  const offered = FAILURES.filter(
    ([value]) => value === step.onFail || kind.onFail.includes(value),
  );
  const sets = step.onFail === "2" || step.onFail === "3";
  return (
    <>
      <Select
        className={classes["failure"] ?? ""}
        aria-label={t("If step {n} fails", { n })}
        data={offered.map(([value, label]) => ({ value, label }))}
        value={step.onFail}
        disabled={disabled}
        onChange={(onFail) => onChange({ onFail: onFail ?? "0" })}
      />
      {sets ? (
        <TextInput
          className={classes["param"] ?? ""}
          aria-label={
            step.onFail === "2"
              ? t("Value if step {n} fails", { n })
              : t("Error if step {n} fails", { n })
          }
          placeholder={step.onFail === "2" ? t("value") : t("error message")}
          value={step.onFailParams}
          disabled={disabled}
          onChange={(event) => onChange({ onFailParams: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}
