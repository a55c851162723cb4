// An agreement: which services, how available, and when.

import { ActionIcon, Button, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { Sla } from "@/api/services";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { DeleteButton } from "@/ui/delete-button";
import { Form, Row, Section } from "@/ui/form";
import { withAt, withoutAt } from "@/widgets/keyed";
import {
  checkDay,
  checkInstant,
  checkName,
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
} from "./draft";
import { useSlaMutations } from "./queries";
import classes from "./sla.module.css";

export interface SlaFormProps {
  readonly sla: Sla | undefined;
  readonly onDone: () => void;
}

export function SlaForm({ sla, onDone }: SlaFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(sla));
  const [attempted, setAttempted] = useState(false);
  const { save, remove } = useSlaMutations(onDone);
  const set = (change: Partial<SlaFields>) => setFields((before) => ({ ...before, ...change }));
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields)) save.mutate({ id: sla?.slaid, draft: draftOf(fields) });
  };
  const parts = { fields, set, attempted };
  return (
    <Form
      label={sla === undefined ? t("New SLA") : t("SLA")}
      draft={fields}
      onSubmit={submit}
      onCancel={onDone}
      submitText={sla === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={
        sla === undefined ? null : (
          <DeleteButton
            label={t("Delete SLA")}
            name={sla.name}
            busy={remove.isPending}
            onDelete={() => remove.mutate([sla.slaid])}
          >
            {t("Services and what is known of them stay.")}
          </DeleteButton>
        )
      }
    >
      <Objective {...parts} />
      <Services {...parts} />
      <Schedule {...parts} />
      <Excluded {...parts} />
    </Form>
  );
}

interface PartProps {
  readonly fields: SlaFields;
  readonly set: (change: Partial<SlaFields>) => void;
  readonly attempted: boolean;
}

function Objective({ fields, set, attempted }: PartProps) {
  return (
    <Section title={t("SLA")}>
      <CheckedInput
        label={t("Name")}
        value={fields.name}
        onChange={(name) => set({ name })}
        check={checkName}
        required
        showAll={attempted}
      />
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
          data={PERIODS.map((name, code) => ({ value: String(code), label: t(name) }))}
          value={fields.period}
          onChange={(period) => set({ period: period ?? "2" })}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Time zone")}
          description={t("system is the server's")}
          value={fields.timezone}
          onChange={(timezone) => set({ timezone })}
          check={checkZone}
          showAll={attempted}
        />
        <CheckedInput
          label={t("Effective date")}
          value={fields.effective}
          onChange={(effective) => set({ effective })}
          check={checkInstant}
          showAll={attempted}
        />
      </Row>
      <Textarea
        label={t("Description")}
        rows={2}
        value={fields.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Switch
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
    </Section>
  );
}

function Services({ fields, set, attempted }: PartProps) {
  const tags = fields.service_tags;
  return (
    <Section title={t("Service tags")} hint={t("Services that fulfil one of these are in it.")}>
      <div className={classes["lines"]}>
        {tags.map((tag, at) => {
          const n = at + 1;
          const change = (change: Partial<typeof tag>) =>
            set({ service_tags: withAt(tags, at, change) });
          return (
            <div key={tag.key} className={classes["line"]}>
              <TextInput
                aria-label={t("Tag {n}", { n })}
                placeholder={t("tag")}
                value={tag.tag}
                onChange={(event) => change({ tag: event.currentTarget.value })}
              />
              <Select
                aria-label={t("Operator of tag {n}", { n })}
                data={[
                  { value: "0", label: t("Equals") },
                  { value: "2", label: t("Contains") },
                ]}
                value={tag.operator}
                onChange={(operator) => change({ operator: operator ?? "0" })}
              />
              <TextInput
                aria-label={t("Value of tag {n}", { n })}
                placeholder={t("value")}
                value={tag.value}
                onChange={(event) => change({ value: event.currentTarget.value })}
              />
              <ActionIcon
                aria-label={t("Remove tag {n}", { n })}
                onClick={() => set({ service_tags: withoutAt(tags, at) })}
              >
                <IconX size={14} />
              </ActionIcon>
            </div>
          );
        })}
      </div>
      {attempted && tags.every(({ tag }) => tag === "") ? (
        <p className="bad">{t("a tag is required")}</p>
      ) : null}
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => set({ service_tags: [...tags, newCondition()] })}
        >
          {t("Add tag")}
        </Button>
      </div>
    </Section>
  );
}

function Schedule({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Schedule")}
      hint={t("When services have to be there, as 09:00-17:00. All empty: always.")}
    >
      <div className={classes["days"]}>
        {WEEKDAYS.map((name, day) => (
          <CheckedInput
            key={name}
            label={t(name)}
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
  const list = fields.excluded;
  return (
    <Section title={t("Excluded downtimes")} hint={t("Times that do not count.")}>
      <div className={classes["lines"]}>
        {list.map((downtime, at) => {
          const n = at + 1;
          const change = (change: Partial<typeof downtime>) =>
            set({ excluded: withAt(list, at, change) });
          return (
            <div key={downtime.key} className={classes["line"]}>
              <TextInput
                aria-label={t("Name of downtime {n}", { n })}
                placeholder={t("name")}
                value={downtime.name}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <TextInput
                aria-label={t("Beginning of downtime {n}", { n })}
                placeholder="2026-01-31 08:00"
                value={downtime.from}
                onChange={(event) => change({ from: event.currentTarget.value })}
              />
              <TextInput
                aria-label={t("End of downtime {n}", { n })}
                placeholder="2026-01-31 12:00"
                value={downtime.to}
                error={
                  attempted && !isExcludedOk(downtime) ? t("a name and two times are needed") : null
                }
                onChange={(event) => change({ to: event.currentTarget.value })}
              />
              <ActionIcon
                aria-label={t("Remove downtime {n}", { n })}
                onClick={() => set({ excluded: withoutAt(list, at) })}
              >
                <IconX size={14} />
              </ActionIcon>
            </div>
          );
        })}
      </div>
      <div>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => set({ excluded: [...list, newDowntime()] })}
        >
          {t("Add downtime")}
        </Button>
      </div>
    </Section>
  );
}
