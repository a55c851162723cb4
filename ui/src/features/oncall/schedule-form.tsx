// An on-call schedule: its rotations, the first of which comes before the others, and overrides of them all.

import { ActionIcon, Select, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { Named } from "@/api/actions";
import type { OncallSchedule } from "@/api/oncall";
import { checkName } from "@/lib/check";
import { t } from "@/lib/i18n";
import { zoneNames } from "@/lib/zone";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { nameOptions, useUserNames } from "@/widgets/names";
import { checkOr, DescriptionField, NameField } from "@/widgets/objects/fields";
import { Line, type LineParts, Lines, MoveButtons } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import {
  checkHandover,
  checkInstant,
  checkLength,
  checkPeriod,
  checkZone,
  draftOf,
  fieldsOf,
  hasUsers,
  isComplete,
  newOverride,
  newRotation,
  newTurn,
  overrideError,
  type RotationFields,
  type ScheduleFields,
  UNITS,
  WEEKDAYS,
  WEEKS,
  zoneOf,
} from "./draft";
import classes from "./oncall.module.css";
import { SCHEDULES } from "./queries";

export interface ScheduleFormProps {
  readonly schedule: OncallSchedule | undefined;
  readonly serverZone: string;
  readonly onDone: () => void;
}

export function ScheduleForm({ schedule, serverZone, onDone }: ScheduleFormProps) {
  return (
    <ObjectForm
      calls={SCHEDULES}
      existing={schedule && { id: schedule.oncallid, name: schedule.name }}
      first={() => fieldsOf(schedule, serverZone)}
      isComplete={isComplete}
      draftOf={draftOf}
      cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <General {...parts} />
          <Rotations {...parts} />
          <Overrides {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<ScheduleFields>;

function General(parts: PartProps) {
  const { fields, set, refusal } = parts;
  const zone = checkZone(fields.timezone);
  return (
    <Section title={t("On-call schedule")}>
      <NameField {...parts} />
      <Select
        label={t("Time zone")}
        description={t("for hand-overs and all dates below; system: the time zone of the server")}
        data={[...new Set(["system", fields.timezone, ...zoneNames()])]}
        limit={50}
        searchable
        allowDeselect={false}
        value={fields.timezone}
        onChange={(timezone) => set({ timezone: timezone ?? fields.timezone })}
        error={refusal("/1/timezone") ?? (zone.ok ? null : zone.message)}
        withAsterisk
      />
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
      />
    </Section>
  );
}

function Rotations(props: PartProps) {
  const { fields, set, attempted, refusal } = props;
  const users = useUserNames();
  const zone = zoneOf(fields);
  return (
    <Section
      title={t("Rotations")}
      hint={t("Users take turns. The first rotation that has a user on call at that time is used.")}
    >
      <Lines
        lines={fields.rotations}
        onChange={(rotations) => set({ rotations })}
        add={t("Add rotation")}
        newLine={() => newRotation(zone)}
        error={attempted && fields.rotations.length === 0 ? t("a rotation is required") : undefined}
      >
        {(parts) => (
          <Rotation
            {...parts}
            users={users.data ?? []}
            zone={zone}
            attempted={attempted}
            refusal={(field) => refusal(`/1/rotations/${parts.n}/${field}`)}
          />
        )}
      </Lines>
    </Section>
  );
}

interface RotationProps extends LineParts<RotationFields> {
  readonly users: readonly Named[];
  readonly zone: string;
  readonly attempted: boolean;
  readonly refusal: (field: string) => string | undefined;
}

function Rotation(props: RotationProps) {
  const { line, n, change, remove, move, zone, attempted, refusal } = props;
  const label = t("Rotation {n}", { n });
  return (
    <fieldset className={classes["rotation"]} aria-label={label}>
      <div className={classes["buttons"]}>
        <strong>{label}</strong>
        <MoveButtons what={t("rotation {n}", { n })} move={move} />
        <ActionIcon aria-label={t("Remove rotation {n}", { n })} onClick={remove}>
          <IconX size={14} />
        </ActionIcon>
      </div>
      <Row>
        <CheckedInput
          label={t("Name")}
          value={line.name}
          onChange={(name) => change({ name })}
          check={checkOr(refusal("name"), checkName)}
          required
          showAll={attempted}
        />
        <CheckedInput
          label={t("Start")}
          description={t("the first user is on call at that time")}
          value={line.start}
          onChange={(start) => change({ start })}
          check={checkOr(refusal("start"), checkInstant(zone))}
          required
          showAll={attempted}
        />
      </Row>
      <Shifts {...props} />
      <CheckedInput
        label={t("Only at these times of the week")}
        description={t("such as 1-5,08:00-18:00;6-7,10:00-16:00 (1 is Monday); empty: always")}
        value={line.period}
        onChange={(period) => change({ period })}
        check={checkOr(refusal("period"), checkPeriod)}
        showAll={attempted}
      />
      <Turns {...props} />
    </fieldset>
  );
}

function Shifts({ line, change, attempted, refusal }: RotationProps) {
  return (
    <Row>
      <CheckedInput
        label={t("Shift length")}
        value={line.length}
        onChange={(length) => change({ length })}
        check={checkOr(refusal("length"), checkLength)}
        showAll={attempted}
      />
      <Select
        label={t("Unit")}
        data={UNITS.map((name, code) => ({ value: String(code), label: name }))}
        value={line.unit}
        allowDeselect={false}
        onChange={(unit) => change({ unit: unit ?? WEEKS })}
      />
      {line.unit === WEEKS ? (
        <Select
          label={t("Hand-over on")}
          data={WEEKDAYS.map((name, at) => ({ value: String(at + 1), label: name }))}
          value={line.weekday}
          allowDeselect={false}
          onChange={(weekday) => change({ weekday: weekday ?? "1" })}
        />
      ) : null}
      <CheckedInput
        label={t("Hand-over at")}
        value={line.handover}
        onChange={(handover) => change({ handover })}
        check={checkOr(refusal("handover"), checkHandover)}
        showAll={attempted}
      />
    </Row>
  );
}

function Turns({ line, n: rotation, change, users, attempted, refusal }: RotationProps) {
  const isMissing = attempted && !hasUsers(line);
  return (
    <Lines
      lines={line.users}
      onChange={(turns) => change({ users: turns })}
      add={t("Add user")}
      newLine={newTurn}
      error={refusal("users") ?? (isMissing ? t("a user is required") : undefined)}
    >
      {({ line: turn, n, change: changeTurn, remove, move }) => (
        <Line
          remove={t("Remove user {n} of rotation {rotation}", { n, rotation })}
          onRemove={remove}
        >
          <Select
            aria-label={t("User {n} of rotation {rotation}", { n, rotation })}
            placeholder={t("User")}
            data={nameOptions(users, [turn.userid])}
            value={turn.userid === "" ? null : turn.userid}
            searchable
            limit={100}
            onChange={(userid) => changeTurn({ userid: userid ?? "" })}
          />
          <MoveButtons what={t("user {n} of rotation {rotation}", { n, rotation })} move={move} />
        </Line>
      )}
    </Lines>
  );
}

function Overrides({ fields, set, attempted, refusal }: PartProps) {
  const users = useUserNames();
  const zone = zoneOf(fields);
  return (
    <Section
      title={t("Overrides")}
      hint={t(
        "Overrides replace the user on call and take priority over rotations. The last override in the list is used.",
      )}
    >
      <Lines
        lines={fields.overrides}
        onChange={(overrides) => set({ overrides })}
        add={t("Add override")}
        newLine={() => newOverride(zone)}
      >
        {({ line, n, change, remove }) => {
          const wrong = attempted ? overrideError(line, zone) : undefined;
          return (
            <Line remove={t("Remove override {n}", { n })} onRemove={remove}>
              <Select
                aria-label={t("User of override {n}", { n })}
                placeholder={t("User")}
                data={nameOptions(users.data ?? [], [line.userid])}
                value={line.userid === "" ? null : line.userid}
                searchable
                limit={100}
                error={refusal(`/1/overrides/${n}`) ?? wrong ?? null}
                onChange={(userid) => change({ userid: userid ?? "" })}
              />
              <TextInput
                aria-label={t("Beginning of override {n}", { n })}
                placeholder="2026-01-31 08:00"
                value={line.from}
                onChange={(event) => change({ from: event.currentTarget.value })}
              />
              <TextInput
                aria-label={t("End of override {n}", { n })}
                placeholder="2026-02-01 08:00"
                value={line.till}
                onChange={(event) => change({ till: event.currentTarget.value })}
              />
            </Line>
          );
        }}
      </Lines>
    </Section>
  );
}
