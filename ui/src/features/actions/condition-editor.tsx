// Which events an action is for: lines of conditions, how they are joined, and the whole as people read it.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ActionCondition, fetchTriggerNames, searchTriggerNames } from "@/api/actions";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { SEVERITIES, severityName } from "@/lib/severity";
import { Section } from "@/ui/form";
import { Joining } from "@/widgets/conditions/joining";
import { type Keyed, withAt, withoutAt } from "@/widgets/keyed";
import type { FormParts } from "@/widgets/objects/object-form";
import { GroupPicker, HostPicker, TemplatePicker } from "@/widgets/pickers";
import classes from "./actions.module.css";
import {
  conditionKind,
  conditionKinds,
  conditionText,
  fixedOptions,
  type NameOf,
  operatorName,
} from "./conditions";
import { type ActionFields, conditionError, conditionOf, newCondition } from "./draft";
import { useNetworkChoices, useServiceChoices } from "./queries";

export interface PartProps extends FormParts<ActionFields> {
  readonly nameOf: NameOf;
}

export function Conditions({ fields, set, attempted, nameOf, refusal }: PartProps) {
  const { conditions } = fields;
  return (
    <Section
      title={t("Conditions")}
      hint={t(
        "Conditions select the events. Without conditions, the action applies to all events of the event source.",
      )}
    >
      {conditions.map((condition, at) => (
        <ConditionLine
          key={condition.key}
          condition={condition}
          n={at + 1}
          source={fields.eventsource}
          error={
            refusal(`/1/filter/conditions/${at + 1}`) ??
            (attempted ? conditionError(condition) : undefined)
          }
          set={(change) =>
            set({ conditions: withAt<Keyed<ActionCondition>>(conditions, at, change) })
          }
          onRemove={() => set({ conditions: withoutAt(conditions, at) })}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => set({ conditions: [...conditions, newCondition(fields)] })}
        >
          {t("Add condition")}
        </Button>
      </div>
      <Joining
        evaltype={fields.evaltype}
        formula={fields.formula}
        onChange={set}
        terms={conditions.map((it) => ({
          kind: it.conditiontype,
          formulaid: it.formulaid,
          text: conditionText(it, nameOf),
        }))}
        intro={t("The action applies to an event if:")}
        attempted={attempted}
        refusal={refusal("/1/filter/formula")}
      />
    </Section>
  );
}

interface LineProps {
  readonly condition: ActionCondition;
  readonly n: number;
  readonly source: string;
  readonly error: string | undefined;
  readonly set: (change: Partial<ActionCondition>) => void;
  readonly onRemove: () => void;
}

function ConditionLine({ condition, n, source, error, set, onRemove }: LineProps) {
  const kind = conditionKind(condition.conditiontype);
  const kinds = conditionKinds(source);
  // one that is not offered, made over the API, stays as it is
  const offered = kinds.some((it) => it.code === kind.code) ? kinds : [...kinds, kind];
  const operators = kind.operators.includes(condition.operator)
    ? kind.operators
    : [...kind.operators, condition.operator];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a section of the form
    <div className={classes["line"]} role="group" aria-label={t("Condition {n}", { n })}>
      <span className={classes["letter"]} aria-hidden>
        {condition.formulaid}
      </span>
      <Select
        aria-label={t("Type of condition {n}", { n })}
        data={offered.map(({ code, name }) => ({ value: code, label: name }))}
        value={kind.code}
        allowDeselect={false}
        onChange={(code) => set(conditionOf(code ?? kind.code, condition.formulaid))}
      />
      {kind.value === "tagValue" ? (
        <TextInput
          aria-label={t("Tag of condition {n}", { n })}
          placeholder={t("tag")}
          value={condition.value2}
          error={condition.value2 === "" ? error : undefined}
          onChange={(event) => set({ value2: event.currentTarget.value })}
        />
      ) : null}
      <Select
        aria-label={t("Operator of condition {n}", { n })}
        data={operators.map((value) => ({ value, label: operatorName(value) }))}
        value={condition.operator}
        allowDeselect={false}
        onChange={(operator) => set({ operator: operator ?? condition.operator })}
      />
      <div className={classes["value"]}>
        <Value condition={condition} n={n} set={set} />
        {error === undefined ? null : (
          <p className="bad" role="alert">
            {error}
          </p>
        )}
      </div>
      <ActionIcon aria-label={t("Remove condition {n}", { n })} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

function Value({ condition, n, set }: Pick<LineProps, "condition" | "n" | "set">) {
  const label = t("Value of condition {n}", { n });
  const { value } = condition;
  // pickers hold several; of a condition the last one that was picked counts
  const one = {
    label,
    value: value === "" ? [] : [value],
    onChange: (ids: readonly Id[]) => set({ value: ids.at(-1) ?? "" }),
  };
  const kind = conditionKind(condition.conditiontype).value;
  switch (kind) {
    case "none":
      return null;
    case "hostGroup":
      return <GroupPicker kind="hostgroup" {...one} label="" placeholder={label} />;
    case "host":
      return <HostPicker {...one} placeholder={t("Host")} />;
    case "template":
      return <TemplatePicker {...one} label="" placeholder={label} />;
    case "trigger":
      return <TriggerPicker label={label} value={value} onChange={(id) => set({ value: id })} />;
    case "service":
      return <ServicePicker label={label} value={value} onChange={(id) => set({ value: id })} />;
    case "severity":
      return (
        <Select
          aria-label={label}
          data={SEVERITIES.map((it) => ({ value: String(it), label: severityName(it) }))}
          value={value}
          allowDeselect={false}
          onChange={(it) => set({ value: it ?? value })}
        />
      );
    case "networkRule":
      return <NetworkPicker label={label} value={value} onChange={(id) => set({ value: id })} />;
    case "networkCheck":
      return (
        <NetworkPicker label={label} value={value} ofChecks onChange={(id) => set({ value: id })} />
      );
    case "eventType":
    case "serviceType":
    case "deviceStatus":
    case "deviceObject":
      return (
        <Select
          aria-label={label}
          data={[...(fixedOptions(kind) ?? [])]}
          value={value}
          allowDeselect={false}
          onChange={(it) => set({ value: it ?? value })}
        />
      );
    case "period":
      return (
        <TextInput
          aria-label={label}
          placeholder="1-5,09:00-18:00"
          classNames={{ input: "mono" }}
          value={value}
          onChange={(event) => set({ value: event.currentTarget.value })}
        />
      );
    default:
      return (
        <TextInput
          aria-label={label}
          placeholder={t("value")}
          value={value}
          onChange={(event) => set({ value: event.currentTarget.value })}
        />
      );
  }
}

interface OnePickerProps {
  readonly label: string;
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

const OFFERED = 50;

/** Triggers are looked up by the server: there may be hundreds of thousands. */
function TriggerPicker({ label, value, onChange }: OnePickerProps) {
  const [search, setSearch] = useState("");
  const picked = useQuery({
    queryKey: keys.triggerNamesOf([value]),
    queryFn: ({ signal }) => fetchTriggerNames([value], signal),
    enabled: value !== "",
  });
  const own = picked.data?.[0];
  // the name of what is picked is no search
  const text = search.trim() === own?.name ? "" : search.trim();
  const found = useQuery({
    queryKey: keys.triggerNames(text),
    queryFn: ({ signal }) => searchTriggerNames(text, OFFERED, signal),
    placeholderData: keepPreviousData,
  });
  const all = new Map((found.data ?? []).map((it) => [it.id, it.name]));
  if (value !== "") all.set(value, own?.name ?? value);
  return (
    <Select
      aria-label={label}
      placeholder={t("Trigger")}
      data={[...all].map(([id, name]) => ({ value: id, label: name }))}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      // the server has searched
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? t("Loading") : t("No such trigger")}
    />
  );
}

/** A rule of network discovery, or a check of one. */
function NetworkPicker({
  label,
  value,
  onChange,
  ofChecks = false,
}: OnePickerProps & { readonly ofChecks?: boolean }) {
  const { rules, checks } = useNetworkChoices();
  return (
    <Select
      aria-label={label}
      placeholder={ofChecks ? t("Discovery check") : t("Discovery rule")}
      data={[...(ofChecks ? checks : rules)]}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      searchable
      limit={100}
      nothingFoundMessage={t("No such rule")}
    />
  );
}

function ServicePicker({ label, value, onChange }: OnePickerProps) {
  const data = useServiceChoices();
  return (
    <Select
      aria-label={label}
      placeholder={t("Service")}
      data={data}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      searchable
      limit={100}
      nothingFoundMessage={t("No such service")}
    />
  );
}
