// A service: where it stands, which problems are its own, and what its status follows from.

import { MultiSelect, Select, TextInput } from "@mantine/core";
import type { Service, ServiceName } from "@/api/services";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { DescriptionField, NameField } from "@/widgets/objects/fields";
import { Line, Lines, TagConditionLine } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { TagEditor } from "@/widgets/tag-editor";
import {
  algorithmOptions,
  checkLimit,
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
import { SERVICES } from "./queries";
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
  const others = services.filter(({ serviceid }) => serviceid !== service?.serviceid);
  return (
    <ObjectForm
      calls={SERVICES}
      existing={service && { id: service.serviceid, name: service.name }}
      first={() => fieldsOf(service, parents)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Place {...parts} others={others} />
          <Problems {...parts} />
          <Status {...parts} />
          <Section
            title={t("Tags")}
            hint={t("SLAs and permissions of roles select services by tags.")}
          >
            <TagEditor tags={parts.fields.tags} onChange={(tags) => parts.set({ tags })} />
          </Section>
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<ServiceFields>;

interface PlaceProps extends PartProps {
  readonly others: readonly ServiceName[];
}

function Place(parts: PlaceProps) {
  const { fields, set, attempted, others } = parts;
  return (
    <Section title={t("Service")}>
      <NameField {...parts} />
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
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
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
      hint={t("Problems that match all of these tags affect the service.")}
    >
      <Lines
        lines={fields.problem_tags}
        onChange={(problem_tags) => set({ problem_tags })}
        add={t("Add problem tag")}
        newLine={newCondition}
        error={
          attempted && hasBoth(fields)
            ? t("a service has problem tags or child services, not both")
            : undefined
        }
      >
        {(parts) => (
          <TagConditionLine {...parts} what={t("problem tag")} operators={operatorOptions()} />
        )}
      </Lines>
    </Section>
  );
}

function Status(props: PartProps) {
  const { fields, set, attempted } = props;
  return (
    <Section title={t("Status")} hint={t("For a service with child services.")}>
      <Select
        label={t("Status calculation rule")}
        data={algorithmOptions()}
        value={fields.algorithm}
        onChange={(algorithm) => set({ algorithm: algorithm ?? "0" })}
      />
      <Row>
        <Select
          label={t("Status propagation rule")}
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
      <Rules {...props} />
    </Section>
  );
}

function Rules({ fields, set, attempted }: PartProps) {
  return (
    <Lines
      lines={fields.status_rules}
      onChange={(status_rules) => set({ status_rules })}
      add={t("Add rule")}
      newLine={newRule}
    >
      {({ line, n, change, remove }) => {
        const limit = checkLimit(line.type, line.limit_value);
        return (
          <Line remove={t("Remove rule {n}", { n })} onRemove={remove}>
            <Select
              aria-label={t("New status of rule {n}", { n })}
              data={severityOptions()}
              value={line.new_status}
              onChange={(status) => change({ new_status: status ?? "4" })}
            />
            <Select
              className={classes["wide"] ?? ""}
              aria-label={t("Condition of rule {n}", { n })}
              data={ruleOptions()}
              value={line.type}
              onChange={(type) => change({ type: type ?? "0" })}
            />
            <TextInput
              aria-label={t("N of rule {n}", { n })}
              value={line.limit_value}
              error={attempted && !limit.ok ? limit.message : null}
              onChange={(event) => change({ limit_value: event.currentTarget.value })}
            />
            <Select
              aria-label={t("Status of children of rule {n}", { n })}
              data={statusOptions()}
              value={line.limit_status}
              onChange={(status) => change({ limit_status: status ?? "4" })}
            />
          </Line>
        );
      }}
    </Lines>
  );
}
