// A discovery rule: its source to edit, its prototypes to look at.

import { Button, Select, Switch, Textarea } from "@mantine/core";
import type { RuleDraft, RulePrototypeDraft } from "@/api/discovery";
import type { DiscoveryRule, HostInterface, Id } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import {
  AGENT_ACTIVE,
  BROWSER,
  DEPENDENT,
  EXTERNAL,
  HTTP_AGENT,
  itemKind,
  JMX,
  NESTED,
  ODBC,
  SCRIPT,
  SNMP_AGENT,
  SSH,
  TELNET,
} from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { checkSteps } from "@/lib/steps";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { keyed } from "@/widgets/keyed";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { OriginNote } from "@/widgets/origin-note";
import { useOwner } from "@/widgets/owner";
import {
  isRequestValid,
  type RequestFields,
  requestFieldsOf,
  requestOf,
  sendersOf,
} from "@/widgets/request/request-fields";
import { RequestSections } from "@/widgets/request/request-sections";
import { type StepDraft, stepOf, toStep } from "@/widgets/steps/draft";
import { StepsEditor } from "@/widgets/steps/steps-editor";
import { TestButton } from "@/widgets/steps/test-button";
import { isAskable } from "./askable";
import { FilterEditor } from "./filter-editor";
import {
  type FilterDraft,
  filterOf,
  isFilterValid,
  isPathValid,
  type OverrideDraft,
  overrideOf,
  type PathDraft,
  toFilter,
  toOverrides,
} from "./lld-drafts";
import { OverridesEditor } from "./overrides-editor";
import { PathsEditor } from "./paths-editor";
import { RULE_CALLS, RULE_PROTOTYPE_CALLS, useExecution, useMasterItems } from "./queries";

interface RuleFields extends RequestFields {
  readonly name: string;
  readonly key: string;
  readonly delay: string;
  readonly snmpOid: string;
  readonly masterItemid: Id;
  readonly interfaceid: Id;
  readonly lifetime: string;
  /** lost objects are kept for a time, neither for ever nor not at all */
  readonly keepsLost: boolean;
  readonly description: string;
  /** seen only by those who may change the host */
  readonly notes: string;
  readonly enabled: boolean;
  /** of prototypes: rows make rules */
  readonly discover: boolean;
  readonly steps: readonly StepDraft[];
  readonly paths: readonly PathDraft[];
  readonly filter: FilterDraft;
  readonly overrides: readonly OverrideDraft[];
}

// kinds whose answers can be discoveries
const RULE_TYPES = [
  0,
  7,
  20,
  HTTP_AGENT,
  SCRIPT,
  BROWSER,
  EXTERNAL,
  SSH,
  TELNET,
  JMX,
  ODBC,
  18,
  2,
  5,
];

function fieldsOf(rule: DiscoveryRule | undefined): RuleFields {
  return {
    name: rule?.name ?? "",
    key: rule?.key_ ?? "",
    type: Number(rule?.type ?? 0),
    ...requestFieldsOf(rule),
    delay: rule?.delay ?? "1h",
    snmpOid: rule?.snmp_oid ?? "",
    masterItemid: rule?.master_itemid ?? "0",
    interfaceid: rule?.interfaceid ?? "0",
    lifetime: rule?.lifetime || "7d",
    keepsLost: (rule?.lifetime_type ?? "0") === "0",
    description: rule?.description ?? "",
    notes: rule?.notes ?? "",
    enabled: rule?.status !== "1",
    discover: rule?.discover !== "1",
    steps: (rule?.preprocessing ?? []).map(stepOf),
    paths: (rule?.lld_macro_paths ?? []).map(keyed),
    filter: filterOf(rule?.filter),
    overrides: (rule?.overrides ?? []).map(overrideOf),
  };
}

function required(what: string): (text: string) => Check {
  return (text) => (text.trim() === "" ? bad(what, 0) : OK);
}

function isRuleValid(fields: RuleFields): boolean {
  return (
    fields.name.trim() !== "" &&
    checkItemKey(fields.key).ok &&
    checkSteps(fields.steps).every((it) => it.ok) &&
    fields.paths.every(isPathValid) &&
    isFilterValid(fields.filter) &&
    isRequestValid(fields) &&
    (!fields.keepsLost || checkPeriod(fields.lifetime).ok) &&
    (!itemKind(fields.type).polled || checkInterval(fields.delay).ok) &&
    (fields.type !== SNMP_AGENT || fields.snmpOid.trim() !== "") &&
    (fields.type !== DEPENDENT || fields.masterItemid !== "0")
  );
}

/** How much of a rule is the user's: all, what is the host's own of an inherited one, or whether it is on. */
export type Freedom = "all" | "own" | "status";

function freedomOf(rule: DiscoveryRule | undefined): Freedom {
  if (rule === undefined) return "all";
  if (rule.flags === "5") return "status";
  return rule.templateid !== "0" && rule.templateid !== "" ? "own" : "all";
}

function draftOfRule(
  fields: RuleFields,
  // of a new one: where it belongs
  place: { readonly hostid?: Id; readonly ruleid?: Id },
  freedom: Freedom,
  isPrototype: boolean,
): Partial<RuleDraft | RulePrototypeDraft> {
  const kind = itemKind(fields.type);
  const states = {
    status: fields.enabled ? 0 : 1,
    ...(isPrototype ? { discover: fields.discover ? 0 : 1 } : {}),
  };
  if (freedom === "status") return states;
  const shared = {
    ...states,
    notes: fields.notes,
    ...(fields.keepsLost ? { lifetime: fields.lifetime.trim() } : {}),
    ...(kind.polled ? { delay: fields.delay.trim() } : {}),
    ...(fields.interfaceid === "0" ? {} : { interfaceid: fields.interfaceid }),
    ...sendersOf(fields),
  };
  if (freedom === "own") return shared;
  return {
    ...shared,
    ...place,
    name: fields.name.trim(),
    key_: fields.key.trim(),
    type: fields.type,
    description: fields.description,
    preprocessing: fields.steps.map(toStep),
    lld_macro_paths: fields.paths.map(({ lld_macro, path }) => ({ lld_macro, path: path.trim() })),
    filter: toFilter(fields.filter),
    overrides: toOverrides(fields.overrides),
    ...(fields.type === SNMP_AGENT ? { snmp_oid: fields.snmpOid.trim() } : {}),
    ...(fields.type === DEPENDENT ? { master_itemid: fields.masterItemid } : {}),
    ...requestOf(fields),
  };
}

function mainInterface(type: number, interfaces: readonly HostInterface[], chosen: Id): Id {
  const { needs } = itemKind(type);
  const fitting = needs === "any" ? interfaces : interfaces.filter((it) => it.type === needs);
  const known = fitting.find((it) => it.interfaceid === chosen);
  const main = fitting.find((it) => it.main === "1") ?? fitting[0];
  return (known ?? main)?.interfaceid ?? "0";
}

/** Only rows, or the hosts that they made, have something for nested rules. */
function typesOf(chosen: number, mayBeNested: boolean): readonly number[] {
  return mayBeNested || chosen === NESTED ? [...RULE_TYPES, NESTED] : RULE_TYPES;
}

export interface RuleFormProps {
  readonly owner: Owner;
  readonly rule: DiscoveryRule | undefined;
  /** of a new prototype: the rule or prototype that it belongs to */
  readonly parent?: Id | undefined;
  readonly onDone: (created?: Id) => void;
}

export function RuleForm({ owner, rule, parent, onDone }: RuleFormProps) {
  const isPrototype = parent !== undefined || rule?.flags === "3";
  const details = useOwner(owner);
  const freedom = freedomOf(rule);
  const inherited = freedom !== "all";
  const isExecutable = owner.kind === "host" && !isPrototype && rule && isAskable(rule);
  return (
    <ObjectForm
      calls={isPrototype ? RULE_PROTOTYPE_CALLS : RULE_CALLS}
      existing={rule && { id: rule.itemid, name: rule.name }}
      first={() => fieldsOf(rule)}
      isComplete={(fields) => inherited || isRuleValid(fields)}
      draftOf={(fields, isNew) => {
        const interfaces = details.data?.interfaces ?? [];
        const interfaceid = mainInterface(fields.type, interfaces, fields.interfaceid);
        const place = isNew
          ? { hostid: owner.id, ...(parent === undefined ? {} : { ruleid: parent }) }
          : {};
        return draftOfRule({ ...fields, interfaceid }, place, freedom, isPrototype);
      }}
      isKept={freedom === "own"}
      extra={isExecutable ? <Execute ruleid={rule.itemid} /> : null}
      onDone={onDone}
    >
      {(parts) => (
        <RuleSections
          {...parts}
          owner={owner}
          rule={rule}
          parent={parent}
          isPrototype={isPrototype}
          freedom={freedom}
        />
      )}
    </ObjectForm>
  );
}

function Execute({ ruleid }: { readonly ruleid: Id }) {
  const execute = useExecution();
  return (
    <Button variant="default" loading={execute.isPending} onClick={() => execute.mutate([ruleid])}>
      {t("Execute now")}
    </Button>
  );
}

interface RuleSectionsProps
  extends FormParts<RuleFields>,
    Pick<RuleFormProps, "owner" | "rule" | "parent"> {
  readonly isPrototype: boolean;
  readonly freedom: Freedom;
}

function RuleSections(props: RuleSectionsProps) {
  const { fields, set, attempted, showErrors, owner, rule, parent, isPrototype, freedom } = props;
  const inherited = freedom !== "all";
  return (
    <>
      {rule === undefined ? null : (
        <OriginNote
          owner={owner}
          of={{ kind: "item", id: rule.itemid }}
          inherited={freedom === "own"}
          discovered={freedom === "status"}
          isRule
        />
      )}
      <MainSection
        owner={owner}
        ruleid={parent ?? (isPrototype ? rule?.ruleid : undefined)}
        isPrototype={isPrototype}
        freedom={freedom}
        fields={fields}
        set={set}
        attempted={attempted}
      />
      <RequestSections fields={fields} set={set} locked={inherited} attempted={attempted} />
      <Section
        title={t("Preprocessing")}
        hint={t("Steps are applied to the discovered data in this order.")}
      >
        <StepsEditor
          ofRule
          steps={fields.steps}
          checks={checkSteps(fields.steps)}
          onChange={(steps) => set({ steps })}
          disabled={inherited}
          showErrors={attempted}
          actions={
            <RuleTest
              owner={owner}
              ruleid={rule?.itemid}
              isPrototype={isPrototype}
              fields={fields}
              onIncomplete={showErrors}
            />
          }
        />
      </Section>
      <RowSections fields={fields} set={set} disabled={inherited} showErrors={attempted} />
    </>
  );
}

interface MainSectionProps {
  readonly owner: Owner;
  /** of a prototype: the rule or prototype that it belongs to */
  readonly ruleid: Id | undefined;
  readonly isPrototype: boolean;
  readonly freedom: Freedom;
  readonly fields: RuleFields;
  readonly set: (change: Partial<RuleFields>) => void;
  readonly attempted: boolean;
}

/** What it is called and where its data comes from. */
function MainSection(props: MainSectionProps) {
  const { owner, ruleid, isPrototype, freedom, fields, set, attempted } = props;
  const inherited = freedom !== "all";
  const locked = freedom === "status";
  return (
    <Section title={isPrototype ? t("Rule prototype") : t("Discovery rule")}>
      <CheckedInput
        label={t("Name")}
        value={fields.name}
        onChange={(name) => set({ name })}
        check={required(t("a name is required"))}
        required
        disabled={inherited}
        showAll={attempted}
      />
      <Row>
        <Select
          label={t("Type")}
          data={typesOf(fields.type, isPrototype || owner.kind === "template").map((type) => ({
            value: String(type),
            label: itemKind(type).name,
          }))}
          value={String(fields.type)}
          disabled={inherited}
          onChange={(type) => set({ type: Number(type ?? 0) })}
        />
        <CheckedInput
          label={t("Key")}
          value={fields.key}
          onChange={(key) => set({ key })}
          check={checkItemKey}
          placeholder="vfs.fs.discovery"
          required
          mono
          disabled={inherited}
          showAll={attempted}
        />
      </Row>
      {fields.type === SNMP_AGENT ? (
        <CheckedInput
          label={t("SNMP OID")}
          value={fields.snmpOid}
          onChange={(snmpOid) => set({ snmpOid })}
          check={required(t("an OID is required"))}
          placeholder="discovery[{#IFNAME},1.3.6.1.2.1.31.1.1.1.1]"
          required
          mono
          disabled={inherited}
          showAll={attempted}
        />
      ) : null}
      {fields.type === DEPENDENT ? (
        <MasterField
          ownerid={owner.id}
          ruleid={ruleid}
          value={fields.masterItemid}
          disabled={inherited}
          attempted={attempted}
          onChange={(masterItemid) => set({ masterItemid })}
        />
      ) : null}
      <Row>
        {itemKind(fields.type).polled ? (
          <CheckedInput
            label={t("Update interval")}
            value={fields.delay}
            onChange={(delay) => set({ delay })}
            check={checkInterval}
            required
            disabled={locked}
            showAll={attempted}
          />
        ) : null}
        {fields.keepsLost ? (
          <CheckedInput
            label={t("Keep lost resources for")}
            value={fields.lifetime}
            onChange={(lifetime) => set({ lifetime })}
            check={checkPeriod}
            disabled={locked}
            showAll={attempted}
          />
        ) : null}
      </Row>
      {fields.type === NESTED ? (
        <p className="dim">
          {t(
            "Receives the LLD row it was created from, or its host; use a JSONPath step to extract the list.",
          )}
        </p>
      ) : null}
      <Textarea
        label={t("Description")}
        rows={2}
        value={fields.description}
        disabled={inherited}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Textarea
        label={t("Notes")}
        description={t("Shown only to users who can edit the host.")}
        rows={2}
        value={fields.notes}
        onChange={(event) => set({ notes: event.currentTarget.value })}
      />
      <Switch
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      {isPrototype ? (
        <Switch
          label={t("Discover")}
          checked={fields.discover}
          onChange={(event) => set({ discover: event.currentTarget.checked })}
        />
      ) : null}
    </Section>
  );
}

interface RowSectionsProps {
  readonly fields: RuleFields;
  readonly set: (change: Partial<RuleFields>) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
}

/** From what was discovered to rows, and from rows to objects. */
function RowSections({ fields, set, disabled, showErrors }: RowSectionsProps) {
  return (
    <>
      <Section
        title={t("LLD macros")}
        hint={t(
          "JSONPath of each macro's value in a row. Other macros are read from fields of the same name.",
        )}
      >
        <PathsEditor
          paths={fields.paths}
          onChange={(paths) => set({ paths })}
          disabled={disabled}
          showErrors={showErrors}
        />
      </Section>
      <Section title={t("Filter")} hint={t("Only rows that match the filter are used.")}>
        <FilterEditor
          filter={fields.filter}
          onChange={(filter) => set({ filter })}
          disabled={disabled}
          showErrors={showErrors}
        />
      </Section>
      <Section
        title={t("Overrides")}
        hint={t("Overrides change objects of matching rows. They are processed in this order.")}
      >
        <OverridesEditor
          overrides={fields.overrides}
          onChange={(overrides) => set({ overrides })}
          disabled={disabled}
        />
      </Section>
    </>
  );
}

interface RuleTestProps {
  readonly owner: Owner;
  readonly ruleid: Id | undefined;
  readonly isPrototype: boolean;
  readonly fields: RuleFields;
  readonly onIncomplete: () => void;
}

const TEXT = 4;

/** An active agent comes by itself, a template is no device. */
function canBeAsked(owner: Owner, { type, key }: RuleFields): boolean {
  const isPolled = itemKind(type).polled && type !== AGENT_ACTIVE;
  return owner.kind === "host" && isPolled && checkItemKey(key).ok;
}

/** What a rule gets is text; stored is only what a dependent one takes from its master. */
function RuleTest({ owner, ruleid, isPrototype, fields, onIncomplete }: RuleTestProps) {
  const details = useOwner(owner);
  const items = useMasterItems(owner.id, undefined);
  const master =
    fields.type === DEPENDENT
      ? items.data?.find((it) => it.itemid === fields.masterItemid)
      : undefined;
  const sample =
    master === undefined
      ? undefined
      : { itemid: master.itemid, valueType: Number(master.value_type), isMaster: true };
  const interfaces = details.data?.interfaces ?? [];
  const ask = {
    hostid: owner.id,
    itemid: ruleid,
    item: {
      type: fields.type,
      key_: fields.key.trim(),
      interfaceid: mainInterface(fields.type, interfaces, fields.interfaceid),
      snmp_oid: fields.snmpOid.trim(),
      ...requestOf(fields),
    },
  };
  return (
    <TestButton
      subject={{
        owner,
        valueType: TEXT,
        sample,
        ask: canBeAsked(owner, fields) ? ask : undefined,
        isPrototype,
      }}
      steps={fields.steps}
      complete={checkSteps(fields.steps).every((it) => it.ok)}
      onIncomplete={onIncomplete}
    />
  );
}

interface MasterFieldProps {
  readonly ownerid: Id;
  /** of a prototype: the rule whose item prototypes it can take its data from, too */
  readonly ruleid: Id | undefined;
  readonly value: Id;
  readonly disabled: boolean;
  readonly attempted: boolean;
  readonly onChange: (itemid: Id) => void;
}

function MasterField(props: MasterFieldProps) {
  const { ownerid, ruleid, value, disabled, attempted, onChange } = props;
  const items = useMasterItems(ownerid, ruleid);
  return (
    <Select
      label={t("Master item")}
      data={(items.data ?? []).map((it) => ({
        value: it.itemid,
        label: `${it.name} (${it.key_})`,
      }))}
      searchable
      limit={100}
      value={value === "0" ? null : value}
      disabled={disabled}
      withAsterisk
      error={attempted && value === "0" ? t("a master item is required") : null}
      onChange={(itemid) => onChange(itemid ?? "0")}
    />
  );
}
