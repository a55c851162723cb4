// An agreement: which services, how available, and when.

import { Select, TextInput } from "@mantine/core";
import type { Sla } from "@/api/services";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { timesIn } from "@/ui/zone-name";
import { DescriptionField, NameField, Toggle } from "@/widgets/objects/fields";
import { Line, Lines, TagConditionLine } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import {
  checkDay,
  checkInstant,
  checkSlo,
  checkZone,
  draftOf,
  fieldsOf,
  isComplete,
  isExcludedOk,
  newCondition,
  newDowntime,
  PERIODS,
  type SlaFields,
  WEEKDAYS,
  zoneOf,
} from "./draft";
import { SLAS } from "./queries";
import classes from "./sla.module.css";

export interface SlaFormProps {
  readonly sla: Sla | undefined;
  readonly serverZone: string;
  readonly onDone: () => void;
}

export function SlaForm({ sla, serverZone, onDone }: SlaFormProps) {
  return (
    <ObjectForm
      calls={SLAS}
      existing={sla && { id: sla.slaid, name: sla.name }}
      first={() => fieldsOf(sla, serverZone)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Objective {...parts} />
          <Services {...parts} />
          <Schedule {...parts} />
          <Excluded {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

const OPERATORS = [
  { value: "0", label: t("Equals") },
  { value: "2", label: t("Contains") },
];

type PartProps = FormParts<SlaFields>;

function Objective(parts: PartProps) {
  const { fields, set, attempted } = parts;
  return (
    <Section title={t("SLA")}>
      <NameField {...parts} />
      <Row>
        <CheckedInput
          label={t("SLO, %")}
          value={fields.slo}
          onChange={(slo) => set({ slo })}
          check={checkSlo}
          required
          showAll={attempted}
        />
        <Select
          label={t("Reporting period")}
          data={PERIODS.map((name, code) => ({ value: String(code), label: name }))}
          value={fields.period}
          onChange={(period) => set({ period: period ?? "2" })}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Time zone")}
          description={t("for all times of this SLA; system: the time zone of the server, {zone}", {
            zone: fields.serverZone,
          })}
          value={fields.timezone}
          onChange={(timezone) => set({ timezone })}
          check={checkZone}
          showAll={attempted}
        />
        <CheckedInput
          label={t("Effective date")}
          value={fields.effective}
          onChange={(effective) => set({ effective })}
          check={checkInstant(zoneOf(fields))}
          showAll={attempted}
        />
      </Row>
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
      />
      <Toggle
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(on) => set({ enabled: on })}
      />
    </Section>
  );
}

function Services({ fields, set, attempted }: PartProps) {
  const tags = fields.service_tags;
  const isMissing = attempted && tags.every(({ tag }) => tag === "");
  return (
    <Section
      title={t("Service tags")}
      hint={t("Services that match any of these tags are included.")}
    >
      <Lines
        lines={tags}
        onChange={(service_tags) => set({ service_tags })}
        add={t("Add tag")}
        newLine={newCondition}
        error={isMissing ? t("a tag is required") : undefined}
      >
        {(parts) => <TagConditionLine {...parts} what={t("tag")} operators={OPERATORS} />}
      </Lines>
    </Section>
  );
}

function Schedule({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Schedule")}
      hint={t("Times when services must be available, such as 09:00-17:00. All empty: always.")}
    >
      <div className={classes["days"]}>
        {WEEKDAYS.map((name, day) => (
          <CheckedInput
            key={name}
            label={name}
            value={fields.days[day] ?? ""}
            onChange={(text) =>
              set({ days: fields.days.map((old, at) => (at === day ? text : old)) })
            }
            check={checkDay}
            showAll={attempted}
          />
        ))}
      </div>
    </Section>
  );
}

function Excluded({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Excluded downtimes")}
      hint={`${t("Times that are not counted.")} ${timesIn(zoneOf(fields))}`}
    >
      <Lines
        lines={fields.excluded}
        onChange={(excluded) => set({ excluded })}
        add={t("Add downtime")}
        newLine={newDowntime}
      >
        {({ line, n, change, remove }) => (
          <Line remove={t("Remove downtime {n}", { n })} onRemove={remove}>
            <TextInput
              aria-label={t("Name of downtime {n}", { n })}
              placeholder={t("name")}
              value={line.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t("Beginning of downtime {n}", { n })}
              placeholder="2026-01-31 08:00"
              value={line.from}
              onChange={(event) => change({ from: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t("End of downtime {n}", { n })}
              placeholder="2026-01-31 12:00"
              value={line.to}
              error={
                attempted && !isExcludedOk(line, zoneOf(fields))
                  ? t("enter a name and both times")
                  : null
              }
              onChange={(event) => change({ to: event.currentTarget.value })}
            />
          </Line>
        )}
      </Lines>
    </Section>
  );
}
