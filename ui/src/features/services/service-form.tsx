// A service: where it stands, which problems are its own, and what its status follows from.

import { ActionIcon, Button, MultiSelect, Select, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { Service, ServiceName } from "@/api/services";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { DeleteButton } from "@/ui/delete-button";
import { Form, Row, Section } from "@/ui/form";
import { withAt, withoutAt } from "@/widgets/keyed";
import { TagEditor } from "@/widgets/tag-editor";
import {
  algorithmOptions,
  checkLimit,
  checkName,
  checkSortOrder,
  checkWeight,
  draftOf,
  fieldsOf,
  hasBoth,
  isComplete,
  newCondition,
  newRule,
  operatorOptions,
  propagationOptions,
  propagationValue,
  propagationValueOptions,
  ruleOptions,
  type ServiceFields,
  severityOptions,
  statusOptions,
  takesPropagation,
} from "./draft";
import { useServiceMutations } from "./queries";
import classes from "./services.module.css";

export interface ServiceFormProps {
  readonly service: Service | undefined;
  /** what it may stand above or below */
  readonly services: readonly ServiceName[];
  /** of a new one */
  readonly parents: readonly ServiceName[];
  readonly onDone: () => void;
}

export function ServiceForm({ service, services, parents, onDone }: ServiceFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(service, parents));
  const [attempted, setAttempted] = useState(false);
  const { save, remove } = useServiceMutations(onDone);
  const set = (change: Partial<ServiceFields>) => setFields((before) => ({ ...before, ...change }));
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields)) save.mutate({ id: service?.serviceid, draft: draftOf(fields) });
  };
  const others = services.filter(({ serviceid }) => serviceid !== service?.serviceid);
  const parts = { fields, set, attempted };
  return (
    <Form
      label={service === undefined ? t("New service") : t("Service")}
      draft={fields}
      onSubmit={submit}
      onCancel={onDone}
      submitText={service === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={
        service === undefined ? null : (
          <DeleteButton
            label={t("Delete service")}
            name={service.name}
            busy={remove.isPending}
            onDelete={() => remove.mutate([service.serviceid])}
          >
            {t("What is known of its status goes with it; its children stay.")}
          </DeleteButton>
        )
      }
    >
      <Place {...parts} others={others} />
      <Problems {...parts} />
      <Status {...parts} />
      <Section title={t("Tags")} hint={t("SLA and rights of roles name services by their tags.")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
    </Form>
  );
}

interface PartProps {
  readonly fields: ServiceFields;
  readonly set: (change: Partial<ServiceFields>) => void;
  readonly attempted: boolean;
}

interface PlaceProps extends PartProps {
  readonly others: readonly ServiceName[];
}

function Place({ fields, set, attempted, others }: PlaceProps) {
  return (
    <Section title={t("Service")}>
      <CheckedInput
        label={t("Name")}
        value={fields.name}
        onChange={(name) => set({ name })}
        check={checkName}
        required
        showAll={attempted}
      />
      <ServicePicker
        label={t("Parent services")}
        value={fields.parents}
        others={others}
        onChange={(parents) => set({ parents })}
      />
      <ServicePicker
        label={t("Child services")}
        value={fields.children}
        others={others}
        onChange={(children) => set({ children })}
      />
      <CheckedInput
        label={t("Sort order")}
        description={t("0 to 999")}
        value={fields.sortorder}
        onChange={(sortorder) => set({ sortorder })}
        check={checkSortOrder}
        showAll={attempted}
      />
      <Textarea
        label={t("Description")}
        rows={2}
        value={fields.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
    </Section>
  );
}

interface ServicePickerProps {
  readonly label: string;
  readonly value: readonly ServiceName[];
  readonly others: readonly ServiceName[];
  readonly onChange: (value: readonly ServiceName[]) => void;
}

/** More are not listed; typing finds them. */
const LISTED_MAX = 100;

function ServicePicker({ label, value, others, onChange }: ServicePickerProps) {
  const names = new Map([...value, ...others].map((it) => [it.serviceid, it.name]));
  return (
    <MultiSelect
      label={label}
      searchable
      limit={LISTED_MAX}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={value.map(({ serviceid }) => serviceid)}
      onChange={(ids) =>
        onChange(ids.map((serviceid) => ({ serviceid, name: names.get(serviceid) ?? "" })))
      }
    />
  );
}

function Problems({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Problem tags")}
      hint={t("Problems whose tags fulfil all of these are the service's own.")}
    >
      <div className={classes["lines"]}>
        {fields.problem_tags.map((tag, at) => {
          const change = (change: Partial<typeof tag>) =>
            set({ problem_tags: withAt(fields.problem_tags, at, change) });
          return (
            <div key={tag.key} className={classes["line"]}>
              <TextInput
                aria-label={t("Problem tag {n}", { n: at + 1 })}
                placeholder={t("tag")}
                value={tag.tag}
                onChange={(event) => change({ tag: event.currentTarget.value })}
              />
              <Select
                aria-label={t("Operator of problem tag {n}", { n: at + 1 })}
                data={operatorOptions()}
                value={tag.operator}
                onChange={(operator) => change({ operator: operator ?? "0" })}
              />
              <TextInput
                aria-label={t("Value of problem tag {n}", { n: at + 1 })}
                placeholder={t("value")}
                value={tag.value}
                onChange={(event) => change({ value: event.currentTarget.value })}
              />
              <ActionIcon
                aria-label={t("Remove problem tag {n}", { n: at + 1 })}
                onClick={() => set({ problem_tags: withoutAt(fields.problem_tags, at) })}
              >
                <IconX size={14} />
              </ActionIcon>
            </div>
          );
        })}
      </div>
      {attempted && hasBoth(fields) ? (
        <p className="bad">{t("a service has problem tags or children, not both")}</p>
      ) : null}
      <AddButton
        label={t("Add problem tag")}
        onAdd={() => set({ problem_tags: [...fields.problem_tags, newCondition()] })}
      />
    </Section>
  );
}

function Status({ fields, set, attempted }: PartProps) {
  return (
    <Section title={t("Status")} hint={t("Of a service with children.")}>
      <Select
        label={t("Status calculation rule")}
        data={algorithmOptions()}
        value={fields.algorithm}
        onChange={(algorithm) => set({ algorithm: algorithm ?? "0" })}
      />
      <Row>
        <Select
          label={t("Parents see the status")}
          data={propagationOptions()}
          value={fields.propagation_rule}
          onChange={(given) => {
            const rule = given ?? "0";
            set({ propagation_rule: rule, propagation_value: propagationValue(rule) });
          }}
        />
        {takesPropagation(fields.propagation_rule) ? (
          <Select
            label={t("Value")}
            data={propagationValueOptions(fields.propagation_rule)}
            value={fields.propagation_value}
            onChange={(value) => set({ propagation_value: value ?? "0" })}
          />
        ) : null}
        <CheckedInput
          label={t("Weight")}
          value={fields.weight}
          onChange={(weight) => set({ weight })}
          check={checkWeight}
          showAll={attempted}
        />
      </Row>
      <Rules fields={fields} set={set} attempted={attempted} />
    </Section>
  );
}

function Rules({ fields, set, attempted }: PartProps) {
  return (
    <>
      <div className={classes["lines"]}>
        {fields.status_rules.map((rule, at) => {
          const n = at + 1;
          const change = (change: Partial<typeof rule>) =>
            set({ status_rules: withAt(fields.status_rules, at, change) });
          const limit = checkLimit(rule.type, rule.limit_value);
          return (
            <div key={rule.key} className={classes["line"]}>
              <Select
                aria-label={t("New status of rule {n}", { n })}
                data={severityOptions()}
                value={rule.new_status}
                onChange={(status) => change({ new_status: status ?? "4" })}
              />
              <Select
                className={classes["wide"] ?? ""}
                aria-label={t("Condition of rule {n}", { n })}
                data={ruleOptions()}
                value={rule.type}
                onChange={(type) => change({ type: type ?? "0" })}
              />
              <TextInput
                aria-label={t("N of rule {n}", { n })}
                value={rule.limit_value}
                error={attempted && !limit.ok ? limit.message : null}
                onChange={(event) => change({ limit_value: event.currentTarget.value })}
              />
              <Select
                aria-label={t("Status of children of rule {n}", { n })}
                data={statusOptions()}
                value={rule.limit_status}
                onChange={(status) => change({ limit_status: status ?? "4" })}
              />
              <ActionIcon
                aria-label={t("Remove rule {n}", { n })}
                onClick={() => set({ status_rules: withoutAt(fields.status_rules, at) })}
              >
                <IconX size={14} />
              </ActionIcon>
            </div>
          );
        })}
      </div>
      <AddButton
        label={t("Add rule")}
        onAdd={() => set({ status_rules: [...fields.status_rules, newRule()] })}
      />
    </>
  );
}

interface AddButtonProps {
  readonly label: string;
  readonly onAdd: () => void;
}

function AddButton({ label, onAdd }: AddButtonProps) {
  return (
    <div>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<IconPlus size={13} />}
        onClick={onAdd}
      >
        {label}
      </Button>
    </div>
  );
}
