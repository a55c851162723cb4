// The form's part for one field of a widget.

import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  NumberInput,
  Select,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { WidgetField } from "@/api/dashboards";
import type { Id } from "@/api/types";
import type { OfferKind } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { Row } from "@/ui/form";
import classes from "./dashboards.module.css";
import { FIELD, Fields, type FieldType, withList, withOne, withRecords } from "./fields";
import type { FieldSpec, Option } from "./kind";
import { OfferPicker } from "./offer-picker";

export interface SpecFieldProps {
  readonly spec: FieldSpec;
  readonly all: readonly WidgetField[];
  readonly onChange: (all: readonly WidgetField[]) => void;
  /** of a template's dashboard: only its objects are offered */
  readonly ownerid: Id | undefined;
  /** widgets that others may listen to: reference and name */
  readonly sources: readonly (readonly [reference: string, name: string])[];
}

const LISTS: Readonly<Record<string, readonly [OfferKind, FieldType]>> = {
  hostgroups: ["hostgroup", FIELD.hostgroup],
  hosts: ["host", FIELD.host],
  items: ["item", FIELD.item],
  graphs: ["graph", FIELD.graph],
  slas: ["sla", FIELD.sla],
  services: ["service", FIELD.service],
  maps: ["map", FIELD.map],
  users: ["user", FIELD.user],
};

const ONES: Readonly<Record<string, readonly [OfferKind, FieldType]>> = {
  item: ["item", FIELD.item],
  graph: ["graph", FIELD.graph],
  host: ["host", FIELD.host],
  sla: ["sla", FIELD.sla],
  service: ["service", FIELD.service],
  map: ["map", FIELD.map],
  itemPrototype: ["itemPrototype", FIELD.itemPrototype],
  graphPrototype: ["graphPrototype", FIELD.graphPrototype],
};

export function SpecField(props: SpecFieldProps) {
  const { spec, all, onChange, ownerid } = props;
  const fields = new Fields(all);
  const one = (type: FieldType, value: string | undefined) =>
    onChange(withOne(all, type, spec.name, value));
  switch (spec.kind) {
    case "number":
      return (
        <NumberInput
          label={spec.label}
          value={fields.number(spec.name, spec.usual)}
          {...(spec.min === undefined ? {} : { min: spec.min })}
          {...(spec.max === undefined ? {} : { max: spec.max })}
          allowDecimal={false}
          hideControls
          onChange={(value) =>
            one(FIELD.number, value === "" || value === spec.usual ? undefined : String(value))
          }
        />
      );
    case "text": {
      const value = fields.text(spec.name, spec.usual ?? "");
      const change = (text: string) =>
        one(FIELD.text, text === (spec.usual ?? "") ? undefined : text);
      return spec.lines === undefined ? (
        <TextInput
          label={spec.label}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <Textarea
          label={spec.label}
          value={value}
          rows={spec.lines}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    }
    case "flag":
      return (
        <Checkbox
          label={spec.label}
          checked={fields.flag(spec.name, spec.usual)}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            one(FIELD.number, checked === spec.usual ? undefined : checked ? "1" : "0");
          }}
        />
      );
    case "choice":
      return (
        <Select
          label={spec.label}
          data={spec.options.map(([value, label]) => ({ value: String(value), label }))}
          value={String(fields.number(spec.name, spec.usual))}
          allowDeselect={false}
          onChange={(value) =>
            one(FIELD.number, value === null || Number(value) === spec.usual ? undefined : value)
          }
        />
      );
    case "checks":
      return <Checks {...props} options={spec.options} usual={spec.usual} />;
    case "patterns":
      return (
        <TagsInput
          label={spec.label}
          value={[...fields.list(spec.name)]}
          placeholder={t("name, * for any letters")}
          splitChars={[]}
          acceptValueOnBlur
          onChange={(values) => onChange(withList(all, FIELD.text, spec.name, values))}
        />
      );
    case "color":
      return <Color {...props} value={fields.color(spec.name)} />;
    case "thresholds":
      return <Thresholds {...props} />;
    case "tags":
      return <Tags {...props} evaltype={spec.evaltype} />;
    case "source":
      return <SourceField {...props} signal={spec.signal} />;
    case "records":
      return <Records {...props} spec={spec} />;
    default: {
      const list = LISTS[spec.kind];
      const [kind, type] = list ?? ONES[spec.kind] ?? ["item", FIELD.item];
      return (
        <OfferPicker
          kind={kind}
          label={spec.label}
          value={fields.ids(spec.name)}
          many={list !== undefined}
          ownerid={ownerid}
          onChange={(ids) => onChange(withList(all, type, spec.name, ids))}
        />
      );
    }
  }
}

interface ChecksProps extends SpecFieldProps {
  readonly options: readonly Option[];
  readonly usual: readonly number[];
}

function Checks({ spec, all, onChange, options, usual }: ChecksProps) {
  const checked = new Fields(all).choices(spec.name, usual);
  const toggle = (value: number) => {
    const next = options
      .map(([it]) => it)
      .filter((it) => (it === value ? !checked.has(it) : checked.has(it)));
    onChange(withList(all, FIELD.number, spec.name, next.map(String)));
  };
  return (
    <Input.Wrapper label={spec.label} labelElement="div">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
      <div className={classes["checks"]} role="group" aria-label={spec.label}>
        {options.map(([value, label]) => (
          <Checkbox
            key={value}
            label={label}
            checked={checked.has(value)}
            onChange={() => toggle(value)}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}

interface ColorProps extends SpecFieldProps {
  readonly value: string | undefined;
}

function Color({ spec, all, onChange, value }: ColorProps) {
  const change = (color: string | undefined) =>
    onChange(withOne(all, FIELD.text, spec.name, color));
  return (
    <Input.Wrapper label={spec.label} labelElement="div">
      <div className={classes["color"]}>
        <input
          type="color"
          aria-label={spec.label}
          value={value ?? "#3aa0d8"}
          onChange={(event) => change(event.currentTarget.value.slice(1).toUpperCase())}
        />
        {value === undefined ? (
          <span className="dim">{t("default")}</span>
        ) : (
          <>
            <span className="mono">{value}</span>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={20}
              aria-label={t("{label}: default", { label: spec.label })}
              onClick={() => change(undefined)}
            >
              <IconX size={13} />
            </ActionIcon>
          </>
        )}
      </div>
    </Input.Wrapper>
  );
}

/** The records under a name as lists of fields without that name. */
function recordsOf(all: readonly WidgetField[], name: string): readonly (readonly WidgetField[])[] {
  return new Fields(all).records(name).map((it) => it.all);
}

function Thresholds({ spec, all, onChange }: SpecFieldProps) {
  const records = recordsOf(all, spec.name);
  const save = (next: readonly (readonly WidgetField[])[]) =>
    onChange(withRecords(all, spec.name, next));
  const change = (at: number, name: string, value: string) =>
    save(records.map((it, n) => (n === at ? withOne(it, FIELD.text, name, value) : it)));
  return (
    <Input.Wrapper label={spec.label} labelElement="div">
      <div className={classes["lines"]}>
        {records.map((record, at) => {
          const fields = new Fields(record);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: positions are their names
            <div key={at} className={classes["line"]}>
              <input
                type="color"
                aria-label={t("Color of threshold {n}", { n: at + 1 })}
                value={fields.color("color") ?? "#ff465c"}
                onChange={(event) =>
                  change(at, "color", event.currentTarget.value.slice(1).toUpperCase())
                }
              />
              <TextInput
                aria-label={t("Threshold {n}", { n: at + 1 })}
                value={fields.text("threshold")}
                onChange={(event) => change(at, "threshold", event.currentTarget.value)}
              />
              <Remove
                name={t("Remove threshold {n}", { n: at + 1 })}
                onClick={() => save(records.filter((_, n) => n !== at))}
              />
            </div>
          );
        })}
        <Add
          name={t("Add threshold")}
          onClick={() =>
            save([
              ...records,
              [
                { type: FIELD.text, name: "color", value: "FF465C" },
                { type: FIELD.text, name: "threshold", value: "" },
              ],
            ])
          }
        />
      </div>
    </Input.Wrapper>
  );
}

const OPERATORS: readonly Option[] = [
  [4, t("exists")],
  [1, t("equals")],
  [0, t("contains")],
  [5, t("does not exist")],
  [3, t("does not equal")],
  [2, t("does not contain")],
];
const EXISTENCE = [4, 5];

interface TagsProps extends SpecFieldProps {
  readonly evaltype: string;
}

function Tags({ spec, all, onChange, evaltype }: TagsProps) {
  const records = recordsOf(all, spec.name);
  const save = (next: readonly (readonly WidgetField[])[]) =>
    onChange(withRecords(all, spec.name, next));
  const change = (at: number, type: FieldType, name: string, value: string) =>
    save(records.map((it, n) => (n === at ? withOne(it, type, name, value) : it)));
  return (
    <Input.Wrapper label={spec.label} labelElement="div">
      <div className={classes["lines"]}>
        {records.length > 1 ? (
          <Select
            aria-label={t("{label}: evaluation", { label: spec.label })}
            data={[
              { value: "0", label: t("And/Or") },
              { value: "2", label: t("Or") },
            ]}
            value={new Fields(all).text(evaltype, "0")}
            allowDeselect={false}
            onChange={(value) =>
              onChange(withOne(all, FIELD.number, evaltype, value === "2" ? "2" : undefined))
            }
          />
        ) : null}
        {records.map((record, at) => {
          const fields = new Fields(record);
          const operator = fields.number("operator", 0);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: positions are their names
            <div key={at} className={classes["line"]}>
              <TextInput
                aria-label={t("Tag {n}", { n: at + 1 })}
                value={fields.text("tag")}
                onChange={(event) => change(at, FIELD.text, "tag", event.currentTarget.value)}
              />
              <Select
                aria-label={t("Operator of tag {n}", { n: at + 1 })}
                data={OPERATORS.map(([value, label]) => ({ value: String(value), label }))}
                value={String(operator)}
                allowDeselect={false}
                onChange={(value) => change(at, FIELD.number, "operator", value ?? "0")}
              />
              {EXISTENCE.includes(operator) ? null : (
                <TextInput
                  aria-label={t("Value of tag {n}", { n: at + 1 })}
                  value={fields.text("value")}
                  onChange={(event) => change(at, FIELD.text, "value", event.currentTarget.value)}
                />
              )}
              <Remove
                name={t("Remove tag {n}", { n: at + 1 })}
                onClick={() => save(records.filter((_, n) => n !== at))}
              />
            </div>
          );
        })}
        <Add
          name={t("Add tag")}
          onClick={() =>
            save([
              ...records,
              [
                { type: FIELD.text, name: "tag", value: "" },
                { type: FIELD.number, name: "operator", value: "0" },
                { type: FIELD.text, name: "value", value: "" },
              ],
            ])
          }
        />
      </div>
    </Input.Wrapper>
  );
}

interface SourceFieldProps extends SpecFieldProps {
  readonly signal: string;
}

function SourceField({ spec, all, onChange, sources, signal }: SourceFieldProps) {
  const name = `${spec.name}._reference`;
  const value = all.find((it) => it.name === name)?.value ?? "";
  const data = [
    { value: "", label: t("None") },
    ...(signal === "hostid" ? [{ value: "DASHBOARD._hostid", label: t("Dashboard") }] : []),
    ...sources.map(([reference, label]) => ({ value: `${reference}._${signal}`, label })),
  ];
  const known = data.some((it) => it.value === value) ? data : [...data, { value, label: value }];
  return (
    <Select
      label={spec.label}
      data={known}
      value={value}
      allowDeselect={false}
      onChange={(next) =>
        onChange(withOne(all, FIELD.text, name, next === null || next === "" ? undefined : next))
      }
    />
  );
}

interface RecordsProps extends SpecFieldProps {
  readonly spec: Extract<FieldSpec, { readonly kind: "records" }>;
}

function Records({ spec, all, onChange, ...rest }: RecordsProps) {
  const records = recordsOf(all, spec.name);
  const save = (next: readonly (readonly WidgetField[])[]) =>
    onChange(withRecords(all, spec.name, next));
  return (
    <Input.Wrapper label={spec.label} labelElement="div">
      <div className={classes["records"]}>
        {records.map((record, at) => (
          <fieldset
            // biome-ignore lint/suspicious/noArrayIndexKey: positions are their names
            key={at}
            className={classes["record"]}
            aria-label={`${spec.one} ${at + 1}`}
          >
            <legend>
              {spec.one} {at + 1}
              <Remove
                name={t("Remove {what} {n}", { what: spec.one, n: at + 1 })}
                onClick={() => save(records.filter((_, n) => n !== at))}
              />
            </legend>
            <Row>
              {spec.fields.map((it) => (
                <SpecField
                  {...rest}
                  key={`${it.kind}:${it.name}`}
                  spec={it}
                  all={record}
                  onChange={(next) => save(records.map((own, n) => (n === at ? next : own)))}
                />
              ))}
            </Row>
          </fieldset>
        ))}
        <Add
          name={t("Add {what}", { what: spec.one })}
          onClick={() => save([...records, [firstOf(spec.fields)]])}
        />
      </div>
    </Input.Wrapper>
  );
}

/** What a new widget has from the beginning. */
export function begunFields(specs: readonly FieldSpec[]): readonly WidgetField[] {
  return specs.flatMap((spec) =>
    spec.kind === "records" && spec.begun === true
      ? withRecords([], spec.name, [[firstOf(spec.fields)]])
      : [],
  );
}

/** Something has to be written of a record for it to be there. */
function firstOf(specs: readonly FieldSpec[]): WidgetField {
  const [first] = specs;
  if (first?.kind === "choice") {
    return { type: FIELD.number, name: first.name, value: String(first.usual) };
  }
  if (first?.kind === "patterns") return { type: FIELD.text, name: `${first.name}.0`, value: "*" };
  return { type: FIELD.text, name: first?.name ?? "name", value: "" };
}

function Remove({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={22} aria-label={name} onClick={onClick}>
      <IconX size={14} />
    </ActionIcon>
  );
}

function Add({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<IconPlus size={13} />}
      onClick={onClick}
    >
      {name}
    </Button>
  );
}
