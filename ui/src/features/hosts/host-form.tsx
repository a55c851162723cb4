// Create or edit a host. The form holds a draft; nothing is sent before it is saved.

import { Switch } from "@mantine/core";
import type { HostDraft } from "@/api/hosts";
import { canTryInterface } from "@/api/testing";
import type { Host, Id } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import {
  draftOfHolder,
  fieldsOfHolder,
  type HolderFields,
  HolderNames,
  HolderParts,
  NEW_HOLDER,
  ownMacros,
} from "@/widgets/holder-fields";
import {
  draftOfInterface,
  type InterfaceDraft,
  interfaceError,
  toInterface,
} from "@/widgets/interfaces/interface-draft";
import { InterfaceEditor } from "@/widgets/interfaces/interface-editor";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { HostPicker } from "@/widgets/pickers";
import { ConnectionTest } from "./connection-test";
import {
  draftOfEncryption,
  type EncryptionDraft,
  encryptionError,
  NO_ENCRYPTION,
  toEncryption,
} from "./encryption-draft";
import { EncryptionEditor } from "./encryption-editor";
import { draftOfIpmi, type IpmiDraft, ipmiError, NEW_IPMI, toIpmi } from "./ipmi-draft";
import { IpmiEditor } from "./ipmi-editor";
import { HOST_CALLS } from "./queries";

export interface HostFields extends HolderFields {
  readonly enabled: boolean;
  readonly interfaces: readonly InterfaceDraft[];
  readonly parents: readonly Id[];
  readonly encryption: EncryptionDraft;
  readonly ipmi: IpmiDraft;
}

export function fieldsOfHost(host: Host | undefined): HostFields {
  if (host === undefined) {
    const parts = { interfaces: [], parents: [], encryption: NO_ENCRYPTION, ipmi: NEW_IPMI };
    return { ...NEW_HOLDER, enabled: true, ...parts };
  }
  const groupids = host.hostgroups.map((group) => group.groupid);
  return {
    ...fieldsOfHolder(host, groupids),
    enabled: host.status === "0",
    interfaces: host.interfaces.map(draftOfInterface),
    parents: host.parents.map(({ hostid }) => hostid),
    ipmi: draftOfIpmi(host),
    encryption: draftOfEncryption(host),
  };
}

/** A new host like it: its interfaces and macros are new ones. Secrets are not returned; they are entered again. */
export function clonedHost(fields: HostFields): HostFields {
  return {
    ...fields,
    host: `${fields.host} copy`,
    name: fields.name === "" ? "" : `${fields.name} (copy)`,
    interfaces: fields.interfaces.map((it) => ({ ...it, interfaceid: undefined })),
    macros: ownMacros(fields.macros),
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
  const { macros, ...alike } = draftOfHolder(fields);
  return {
    ...alike,
    macros: macros as HostDraft["macros"],
    status: fields.enabled ? "0" : "1",
    interfaces: fields.interfaces.map(toInterface),
    parents: fields.parents.map((hostid) => ({ hostid })),
    ...toIpmi(fields.ipmi),
    ...toEncryption(fields.encryption),
  };
}

export function isHostValid(fields: HostFields): boolean {
  return (
    checkHostName(fields.host).ok &&
    fields.groupids.length > 0 &&
    fields.interfaces.every((it) => interfaceError(it) === undefined) &&
    ipmiError(fields.ipmi) === undefined &&
    encryptionError(fields.encryption) === undefined
  );
}

export interface HostFormProps {
  readonly host: Host | undefined;
  /** with what was created */
  readonly onDone: (created?: Id) => void;
  readonly onDeleted: () => void;
}

export function HostForm({ host, onDone, onDeleted }: HostFormProps) {
  return (
    <ObjectForm
      calls={HOST_CALLS}
      existing={host && { id: host.hostid, name: host.name }}
      first={() => fieldsOfHost(host)}
      isComplete={isHostValid}
      draftOf={draftOfHost}
      cloned={clonedHost}
      onDone={onDone}
      onDeleted={onDeleted}
    >
      {(parts, isNew) => <HostSections {...parts} hostid={isNew ? undefined : host?.hostid} />}
    </ObjectForm>
  );
}

interface HostSectionsProps extends FormParts<HostFields> {
  /** undefined of a new one */
  readonly hostid: Id | undefined;
}

function HostSections({ fields, set, attempted, refusal, hostid }: HostSectionsProps) {
  return (
    <>
      <Section title={t("Host")}>
        <HolderNames
          fields={fields}
          set={set}
          label={t("Host name")}
          check={checkHostName}
          groups={{ kind: "hostgroup", label: t("Host groups") }}
          showErrors={attempted}
        />
        <Switch
          label={t("Monitored")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Section>
      <Section
        title={t("Interfaces")}
        hint={t("Addresses at which agents and SNMP devices are polled.")}
      >
        <InterfaceEditor
          interfaces={fields.interfaces}
          onChange={(interfaces) => set({ interfaces })}
          showErrors={attempted}
          extra={(draft, n) =>
            canTryInterface(draft.type) ? (
              <ConnectionTest
                subject={{
                  hostid,
                  macros: fields.macros,
                  encryption: fields.encryption,
                }}
                draft={draft}
                n={n}
              />
            ) : null
          }
        />
      </Section>
      {fields.interfaces.some(({ type }) => type === "3") ? (
        <Section title={t("IPMI")} hint={t("Credentials of all IPMI items of the host.")}>
          <IpmiEditor
            draft={fields.ipmi}
            onChange={(change) => set({ ipmi: { ...fields.ipmi, ...change } })}
            showErrors={attempted}
          />
        </Section>
      ) : null}
      <Section
        title={t("Encryption")}
        hint={t(
          "Encryption of connections between the server and the agent and senders of the host.",
        )}
      >
        <EncryptionEditor
          draft={fields.encryption}
          onChange={(change) => set({ encryption: { ...fields.encryption, ...change } })}
          showErrors={attempted}
        />
      </Section>
      <Section
        title={t("Parents")}
        hint={t(
          "Hosts through which this host is reached. While all parents are down, the unavailability of this host is a symptom.",
        )}
      >
        <HostPicker
          label={t("Parents")}
          value={fields.parents}
          onChange={(parents) => set({ parents })}
          error={refusal("/1/parents")}
          placeholder={t("Hosts")}
        />
      </Section>
      <HolderParts
        fields={fields}
        set={set}
        templates={{
          title: t("Templates"),
          hint: t("Templates add items, triggers and discovery rules."),
        }}
        macrosHint={t("Own values; inherited ones are listed below.")}
      />
    </>
  );
}
