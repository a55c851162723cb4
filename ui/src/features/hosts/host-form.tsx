// Create or edit a host. The form holds a draft; nothing is sent before it is saved.

import { Button, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { HostDraft } from "@/api/configuration";
import type { Host, Id, Tag } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Confirm } from "@/ui/confirm";
import { Form, Row, Section } from "@/ui/form";
import { type Keyed, keyed } from "@/widgets/keyed";
import {
  cleanMacros,
  InheritedMacros,
  type MacroDraft,
  MacroEditor,
  newMacro,
} from "@/widgets/macro-editor";
import { GroupPicker } from "@/widgets/pickers";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";
import {
  noLinks,
  remainingTemplates,
  type TemplateLinks,
  TemplateLinksEditor,
} from "@/widgets/template-links";
import {
  draftOfInterface,
  type InterfaceDraft,
  interfaceError,
  toInterface,
} from "./interface-draft";
import { InterfaceEditor } from "./interface-editor";
import { useHostMutations } from "./queries";

export interface HostFields {
  readonly host: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly groupids: readonly Id[];
  readonly interfaces: readonly InterfaceDraft[];
  readonly links: TemplateLinks;
  readonly tags: readonly Keyed<Tag>[];
  readonly macros: readonly MacroDraft[];
}

export function fieldsOfHost(host: Host | undefined): HostFields {
  if (host === undefined) {
    return {
      host: "",
      name: "",
      description: "",
      enabled: true,
      groupids: [],
      interfaces: [],
      links: noLinks,
      tags: [],
      macros: [],
    };
  }
  return {
    host: host.host,
    name: host.name === host.host ? "" : host.name,
    description: host.description,
    enabled: host.status === "0",
    groupids: host.hostgroups.map((group) => group.groupid),
    interfaces: host.interfaces.map(draftOfInterface),
    links: { ...noLinks, linked: host.parentTemplates },
    tags: host.tags.map(keyed),
    macros: host.macros.map(keyed),
  };
}

/** Letters, digits, spaces, `.`, `_`, `-`: what the server accepts as a technical name. */
export function checkHostName(name: string): Check {
  if (name.trim() === "") return bad(t("a name is required"), 0);
  const wrong = name.search(/[^0-9A-Za-z ._-]/);
  if (wrong >= 0) {
    return bad(t("“{char}” cannot be in a host's name", { char: name[wrong] ?? "" }), wrong);
  }
  return OK;
}

export function draftOfHost(fields: HostFields): HostDraft {
  return {
    host: fields.host.trim(),
    // no visible name of its own: the technical one
    name: fields.name.trim() === "" ? fields.host.trim() : fields.name.trim(),
    description: fields.description,
    status: fields.enabled ? "0" : "1",
    groups: fields.groupids.map((groupid) => ({ groupid })),
    interfaces: fields.interfaces.map(toInterface),
    templates: remainingTemplates(fields.links).map((templateid) => ({ templateid })),
    templates_clear: fields.links.clear.map((templateid) => ({ templateid })),
    tags: cleanTags(fields.tags),
    macros: cleanMacros(fields.macros) as HostDraft["macros"],
  };
}

export function isHostValid(fields: HostFields): boolean {
  return (
    checkHostName(fields.host).ok &&
    fields.groupids.length > 0 &&
    fields.interfaces.every((it) => interfaceError(it) === undefined)
  );
}

export interface HostFormProps {
  readonly host: Host | undefined;
  readonly onDone: () => void;
  readonly onDeleted: () => void;
}

export function HostForm({ host, onDone, onDeleted }: HostFormProps) {
  const [fields, setFields] = useState(() => fieldsOfHost(host));
  const [attempted, setAttempted] = useState(false);
  const { save } = useHostMutations(onDone);
  const set = (change: Partial<HostFields>) => setFields((before) => ({ ...before, ...change }));
  const submit = () => {
    setAttempted(true);
    if (!isHostValid(fields)) return;
    save.mutate({ hostid: host?.hostid, draft: draftOfHost(fields) });
  };
  return (
    <Form
      label={host === undefined ? t("New host") : t("Host")}
      onSubmit={submit}
      onCancel={onDone}
      submitText={host === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={host === undefined ? null : <DeleteHost host={host} onDeleted={onDeleted} />}
    >
      <Section title={t("Host")}>
        <Row>
          <CheckedInput
            label={t("Host name")}
            value={fields.host}
            onChange={(value) => set({ host: value })}
            check={checkHostName}
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
        <GroupPicker
          kind="hostgroup"
          label={t("Host groups")}
          value={fields.groupids}
          onChange={(groupids) => set({ groupids })}
          canCreate
          error={attempted && fields.groupids.length === 0 ? t("a group is required") : undefined}
        />
        <Textarea
          label={t("Description")}
          rows={2}
          value={fields.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Switch
          label={t("Monitored")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Section>
      <Section title={t("Interfaces")} hint={t("Where agents and SNMP devices are asked.")}>
        <InterfaceEditor
          interfaces={fields.interfaces}
          onChange={(interfaces) => set({ interfaces })}
          showErrors={attempted}
        />
      </Section>
      <Section title={t("Templates")} hint={t("They bring items, triggers and discovery.")}>
        <TemplateLinksEditor links={fields.links} onChange={(links) => set({ links })} />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
      <Section title={t("Macros")} hint={t("Own values; inherited ones are listed below.")}>
        <MacroEditor macros={fields.macros} onChange={(macros) => set({ macros })} />
        <InheritedMacros
          templateids={remainingTemplates(fields.links)}
          own={fields.macros}
          onOverride={(macro) =>
            set({ macros: [...fields.macros, newMacro(macro.macro, macro.value)] })
          }
        />
      </Section>
    </Form>
  );
}

function DeleteHost({ host, onDeleted }: { readonly host: Host; readonly onDeleted: () => void }) {
  const [opened, setOpened] = useState(false);
  const { remove } = useHostMutations(onDeleted);
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setOpened(true)}>
        {t("Delete host")}
      </Button>
      <Confirm
        opened={opened}
        title={t("Delete {name}?", { name: host.name })}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate([host.hostid])}
        onClose={() => setOpened(false)}
      >
        {t("Its items, triggers, problems and history go with it.")}
      </Confirm>
    </>
  );
}
