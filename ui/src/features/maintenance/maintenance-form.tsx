// A maintenance: what it is of, from when till when, and its periods.

import { ActionIcon, MultiSelect, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { Maintenance } from "@/api/maintenance";
import { t } from "@/lib/i18n";
import { nowSeconds } from "@/lib/time";
import { minuteIn, zoneLabel } from "@/lib/zone";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { keyed } from "@/widgets/keyed";
import { DescriptionField, NameField } from "@/widgets/objects/fields";
import { type LineParts, Lines, TagConditionLine } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { GroupPicker, HostPicker } from "@/widgets/pickers";
import {
  checkInstant,
  checkLength,
  checkNumber,
  checkTime,
  draftOf,
  fieldsOf,
  isComplete,
  isOrdered,
  KINDS,
  type MaintenanceFields,
  MONTHS,
  NTHS,
  newPeriod,
  type PeriodFields,
  WEEKDAYS,
} from "./draft";
import classes from "./maintenance.module.css";
import { MAINTENANCES } from "./queries";

export interface MaintenanceFormProps {
  readonly maintenance: Maintenance | undefined;
  readonly serverZone: string;
  readonly onDone: () => void;
}

export function MaintenanceForm({ maintenance, serverZone, onDone }: MaintenanceFormProps) {
  return (
    <ObjectForm
      calls={MAINTENANCES}
      existing={maintenance && { id: maintenance.maintenanceid, name: maintenance.name }}
      first={() => fieldsOf(maintenance, serverZone)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <General {...parts} />
          <Subjects {...parts} />
          {parts.fields.withData ? <Tags {...parts} /> : null}
          <Periods {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

const OPERATORS = [
  { value: "2", label: t("Contains") },
  { value: "0", label: t("Equals") },
];

type PartProps = FormParts<MaintenanceFields>;

function zoneHint(zone: string): string {
  return t("All times are in the server's time zone, {zone}.", {
    zone: zoneLabel(nowSeconds(), zone),
  });
}

function General(parts: PartProps) {
  const { fields, set, attempted } = parts;
  return (
    <Section title={t("Maintenance")} hint={zoneHint(fields.zone)}>
      <NameField {...parts} />
      <Row>
        <CheckedInput
          label={t("Active since")}
          value={fields.since}
          onChange={(since) => set({ since })}
          check={checkInstant(fields.zone)}
          required
          showAll={attempted}
        />
        <CheckedInput
          label={t("Active till")}
          value={fields.till}
          onChange={(till) => set({ till })}
          check={checkInstant(fields.zone)}
          required
          showAll={attempted}
        />
      </Row>
      <Select
        label={t("Data collection")}
        description={
          fields.withData
            ? t("Data is collected; problems are suppressed.")
            : t("Hosts are not polled; data that they send is dropped.")
        }
        data={[
          { value: "0", label: t("With data collection") },
          { value: "1", label: t("No data collection") },
        ]}
        value={fields.withData ? "0" : "1"}
        onChange={(kind) => set({ withData: kind !== "1" })}
        allowDeselect={false}
      />
      {isOrdered(fields) ? null : <p className="bad">{t("the end is before the start")}</p>}
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
      />
    </Section>
  );
}

function Subjects({ fields, set, attempted }: PartProps) {
  const isNothing = fields.hosts.length + fields.groups.length === 0;
  return (
    <Section title={t("Hosts and groups")} hint={t("A group includes its subgroups.")}>
      <GroupPicker
        kind="hostgroup"
        label={t("Host groups")}
        value={fields.groups}
        onChange={(groups) => set({ groups })}
        placeholder={t("Host groups")}
      />
      <HostPicker
        label={t("Hosts")}
        value={fields.hosts}
        onChange={(hosts) => set({ hosts })}
        placeholder={t("Hosts")}
      />
      {attempted && isNothing ? (
        <p className="bad">{t("a host or a host group is required")}</p>
      ) : null}
    </Section>
  );
}

function Tags({ fields, set }: PartProps) {
  const { tags } = fields;
  return (
    <Section
      title={t("Tags")}
      hint={t("Only problems with these tags are suppressed. Without tags: all problems.")}
    >
      {tags.length < 2 ? null : (
        <Select
          label={t("Conditions")}
          data={[
            { value: "0", label: t("And/Or: any value of every tag") },
            { value: "2", label: t("Or: any of the tags") },
          ]}
          value={fields.evaltype}
          onChange={(evaltype) => set({ evaltype: evaltype ?? "0" })}
        />
      )}
      <Lines
        lines={tags}
        onChange={(tags) => set({ tags })}
        add={t("Add tag")}
        newLine={() => keyed({ tag: "", operator: "2", value: "" })}
      >
        {(parts) => <TagConditionLine {...parts} what={t("tag")} operators={OPERATORS} />}
      </Lines>
    </Section>
  );
}

function Periods({ fields, set, attempted }: PartProps) {
  const { periods, zone } = fields;
  return (
    <Section title={t("Periods")} hint={zoneHint(zone)}>
      <Lines
        lines={periods}
        onChange={(periods) => set({ periods })}
        add={t("Add period")}
        newLine={() => newPeriod(minuteIn(nowSeconds(), zone))}
        error={attempted && periods.length === 0 ? t("a period is required") : undefined}
      >
        {(parts) => <Period {...parts} zone={zone} attempted={attempted} />}
      </Lines>
    </Section>
  );
}

interface PeriodProps extends LineParts<PeriodFields> {
  readonly zone: string;
  readonly attempted: boolean;
}

function Period(props: PeriodProps) {
  const { line: period, zone, n, change: onChange, remove, attempted } = props;
  const { kind } = period;
  return (
    <fieldset className={classes["period"]}>
      <legend className="dim">{t("Period {n}", { n })}</legend>
      <Select
        label={t("Repeats")}
        data={KINDS.map(({ value, label }) => ({ value, label }))}
        value={kind}
        onChange={(value) => onChange({ kind: value ?? "0" })}
      />
      {kind === "0" ? (
        <CheckedInput
          label={t("Start")}
          value={period.start}
          onChange={(start) => onChange({ start })}
          check={checkInstant(zone)}
          showAll={attempted}
        />
      ) : (
        <CheckedInput
          label={t("At")}
          value={period.time}
          onChange={(time) => onChange({ time })}
          check={checkTime}
          showAll={attempted}
        />
      )}
      <CheckedInput
        label={t("Period length")}
        value={period.length}
        onChange={(length) => onChange({ length })}
        check={checkLength}
        showAll={attempted}
      />
      {kind === "2" || kind === "3" ? (
        <CheckedInput
          label={kind === "2" ? t("Every day(s)") : t("Every week(s)")}
          value={period.every}
          onChange={(every) => onChange({ every })}
          check={(text) => checkNumber(text, kind === "2" ? 999 : 99)}
          showAll={attempted}
        />
      ) : null}
      {kind === "4" ? <Monthly line={period} change={onChange} attempted={attempted} /> : null}
      {kind === "3" || (kind === "4" && period.by === "weekday") ? (
        <PickedSet
          label={t("Days of the week")}
          names={WEEKDAYS}
          value={period.weekdays}
          onChange={(weekdays) => onChange({ weekdays })}
          attempted={attempted}
        />
      ) : null}
      <ActionIcon aria-label={t("Remove period {n}", { n })} onClick={remove}>
        <IconX size={14} />
      </ActionIcon>
    </fieldset>
  );
}

function Monthly(props: Pick<PeriodProps, "line" | "change" | "attempted">) {
  const { line: period, change: onChange, attempted } = props;
  return (
    <>
      <PickedSet
        label={t("Months")}
        names={MONTHS}
        value={period.months}
        onChange={(months) => onChange({ months })}
        attempted={attempted}
      />
      <Select
        label={t("On")}
        data={[
          { value: "day", label: t("a day of the month") },
          { value: "weekday", label: t("days of the week") },
        ]}
        value={period.by}
        onChange={(by) => onChange({ by: by === "weekday" ? "weekday" : "day" })}
      />
      {period.by === "day" ? (
        <CheckedInput
          label={t("Day of the month")}
          value={period.day}
          onChange={(day) => onChange({ day })}
          check={(text) => checkNumber(text, 31)}
          showAll={attempted}
        />
      ) : (
        <Select
          label={t("Week of the month")}
          data={NTHS.map((name, at) => ({ value: String(at + 1), label: name }))}
          value={period.nth}
          onChange={(nth) => onChange({ nth: nth ?? "1" })}
        />
      )}
    </>
  );
}

interface PickedSetProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: readonly number[];
  readonly onChange: (value: readonly number[]) => void;
  readonly attempted: boolean;
}

function PickedSet({ label, names, value, onChange, attempted }: PickedSetProps) {
  return (
    <MultiSelect
      label={label}
      data={names.map((name, at) => ({ value: String(at), label: name }))}
      value={value.map(String)}
      onChange={(all) => onChange(all.map(Number).sort((a, b) => a - b))}
      error={attempted && value.length === 0 ? t("at least one is required") : null}
    />
  );
}
