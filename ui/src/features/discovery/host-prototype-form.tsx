// Create or edit a host prototype: what hosts get that a rule makes.

import { Select, Switch, TextInput } from "@mantine/core";
import type { HostPrototype, Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { InterfaceEditor } from "@/widgets/interfaces/interface-editor";
import { keyed } from "@/widgets/keyed";
import { MacroEditor } from "@/widgets/macro-editor";
import { Line, Lines } from "@/widgets/objects/lines";
import { ObjectForm } from "@/widgets/objects/object-form";
import { GroupPicker, TemplatePicker } from "@/widgets/pickers";
import { TagEditor } from "@/widgets/tag-editor";
import {
  checkGroupPattern,
  checkHostPattern,
  draftOfHostPrototype,
  fieldsOfHostPrototype,
  type HostPrototypeFields,
  isHostPrototypeValid,
  statesOfHostPrototype,
} from "./host-prototype-draft";
import { hostPrototypeCalls } from "./queries";

export interface HostPrototypeFormProps {
  readonly ruleid: Id;
  /** undefined of a new one */
  readonly prototype: HostPrototype | undefined;
  readonly onDone: () => void;
}

export function HostPrototypeForm({ ruleid, prototype, onDone }: HostPrototypeFormProps) {
  const inherited = prototype !== undefined && !["", "0"].includes(prototype.templateid);
  return (
    <ObjectForm
      calls={hostPrototypeCalls()}
      existing={prototype && { id: prototype.hostid, name: prototype.name }}
      first={() => fieldsOfHostPrototype(prototype)}
      isComplete={isHostPrototypeValid}
      draftOf={(fields) =>
        inherited ? statesOfHostPrototype(fields) : draftOfHostPrototype(ruleid, fields)
      }
      isKept={inherited}
      onDone={() => onDone()}
    >
      {(parts) =>
        inherited ? (
          <Section
            title={t("Host")}
            hint={t(
              "This prototype comes from a template: change everything except these two settings there.",
            )}
          >
            <p className="mono">{parts.fields.host}</p>
            <States {...parts} />
          </Section>
        ) : (
          <Parts {...parts} />
        )
      }
    </ObjectForm>
  );
}

interface PartsProps {
  readonly fields: HostPrototypeFields;
  readonly set: (change: Partial<HostPrototypeFields>) => void;
  readonly attempted: boolean;
}

function States({ fields, set }: PartsProps) {
  return (
    <>
      <Switch
        label={t("New hosts are monitored")}
        checked={fields.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label={t("Discover: rows create hosts")}
        checked={fields.discover}
        onChange={(event) => set({ discover: event.currentTarget.checked })}
      />
    </>
  );
}

function Parts(props: PartsProps) {
  const { fields, set, attempted } = props;
  return (
    <>
      <Section
        title={t("Host")}
        hint={t("Use LLD macros in the name: each row then creates a host of its own.")}
      >
        <Row>
          <CheckedInput
            label={t("Host name")}
            value={fields.host}
            onChange={(host) => set({ host })}
            check={checkHostPattern}
            required
            showAll={attempted}
          />
          <TextInput
            label={t("Visible name")}
            placeholder={fields.host}
            value={fields.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        </Row>
        <States {...props} />
        <Select
          label={t("Inventory")}
          data={[
            { value: "-1", label: t("Disabled") },
            { value: "0", label: t("Manual") },
            { value: "1", label: t("Automatic") },
          ]}
          value={fields.inventory}
          allowDeselect={false}
          onChange={(inventory) => set({ inventory: inventory ?? "-1" })}
        />
      </Section>
      <Section title={t("Groups")} hint={t("Missing groups are created by name.")}>
        <GroupPicker
          kind="hostgroup"
          label={t("Host groups")}
          value={fields.groupids}
          onChange={(groupids) => set({ groupids })}
          error={attempted && fields.groupids.length === 0 ? t("a group is required") : undefined}
        />
        <Lines
          lines={fields.groups}
          onChange={(groups) => set({ groups })}
          add={t("Add group by name")}
          newLine={() => keyed({ name: "" })}
        >
          {({ line, n, change, remove }) => (
            <Line remove={t("Remove group {n}", { n })} onRemove={remove}>
              <TextInput
                aria-label={t("Group {n}", { n })}
                placeholder={t("Cluster {#NAME}")}
                value={line.name}
                error={groupError(line.name)}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
            </Line>
          )}
        </Lines>
      </Section>
      <Section
        title={t("Templates")}
        hint={t("Templates add items, triggers and discovery rules.")}
      >
        <TemplatePicker
          label={t("Templates")}
          value={fields.templates}
          onChange={(templates) => set({ templates })}
        />
      </Section>
      <Section
        title={t("Interfaces")}
        hint={t("Addresses at which agents and SNMP devices are polled.")}
      >
        <Switch
          label={t("Custom interfaces instead of those of the rule's host")}
          checked={fields.custom}
          onChange={(event) => set({ custom: event.currentTarget.checked })}
        />
        {fields.custom ? (
          <InterfaceEditor
            interfaces={fields.interfaces}
            onChange={(interfaces) => set({ interfaces })}
            showErrors={attempted}
          />
        ) : null}
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
      <Section title={t("Macros")} hint={t("Values can contain LLD macros.")}>
        <MacroEditor macros={fields.macros} onChange={(macros) => set({ macros })} />
      </Section>
    </>
  );
}

function groupError(name: string): string | null {
  const check = checkGroupPattern(name);
  return check.ok ? null : check.message;
}
