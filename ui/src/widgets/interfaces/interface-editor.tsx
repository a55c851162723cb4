import {
  ActionIcon,
  Button,
  Checkbox,
  PasswordInput,
  SegmentedControl,
  Select,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { t } from "@/lib/i18n";
import { Row } from "@/ui/form";
import { withAt, withoutAt } from "@/widgets/keyed";
import {
  AGENT,
  AUTH,
  AUTH_AND_PRIVACY,
  type InterfaceDraft,
  type InterfaceKind,
  IPMI,
  interfaceError,
  JMX,
  NO_AUTH,
  newInterface,
  SNMP,
  SNMPV1,
  SNMPV2,
  SNMPV3,
  type SnmpFields,
} from "./interface-draft";
import classes from "./interfaces.module.css";

export interface InterfaceEditorProps {
  readonly interfaces: readonly InterfaceDraft[];
  readonly onChange: (interfaces: readonly InterfaceDraft[]) => void;
  readonly showErrors: boolean;
  /** below the fields of an interface, which is the `n`th */
  readonly extra?: (draft: InterfaceDraft, n: number) => ReactNode;
}

export function InterfaceEditor(props: InterfaceEditorProps) {
  const { interfaces, onChange, showErrors, extra } = props;
  const add = (type: InterfaceKind) => {
    const main = !interfaces.some((it) => it.type === type && it.main);
    onChange([...interfaces, newInterface(type, main)]);
  };
  const change = (at: number, next: Partial<InterfaceDraft>) => {
    const changed = withAt(interfaces, at, next);
    // one main interface a kind: choosing one takes it from the others
    const type = interfaces[at]?.type;
    onChange(
      next.main === true
        ? changed.map((it, index) =>
            it.type === type && index !== at ? { ...it, main: false } : it,
          )
        : changed,
    );
  };
  return (
    <div>
      {interfaces.map((it, at) => (
        <InterfaceLine
          key={it.key}
          draft={it}
          n={at + 1}
          extra={extra?.(it, at + 1)}
          showErrors={showErrors}
          onChange={(next) => change(at, next)}
          onRemove={() => onChange(withoutAt(interfaces, at))}
        />
      ))}
      <div className={classes["toolbar"]}>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => add(AGENT)}
        >
          {t("Add agent interface")}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => add(SNMP)}
        >
          {t("Add SNMP interface")}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => add(IPMI)}
        >
          {t("Add IPMI interface")}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => add(JMX)}
        >
          {t("Add JMX interface")}
        </Button>
        <span />
      </div>
    </div>
  );
}

function kindName(type: string): string {
  if (type === SNMP) return "SNMP";
  if (type === IPMI) return "IPMI";
  return type === JMX ? "JMX" : t("Agent");
}

interface InterfaceLineProps {
  readonly draft: InterfaceDraft;
  readonly n: number;
  readonly extra: ReactNode;
  readonly showErrors: boolean;
  readonly onChange: (change: Partial<InterfaceDraft>) => void;
  readonly onRemove: () => void;
}

function InterfaceLine(props: InterfaceLineProps) {
  const { draft, n, extra, showErrors, onChange, onRemove } = props;
  const error = showErrors ? interfaceError(draft) : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className={classes["interface"]} role="group" aria-label={t("Interface {n}", { n })}>
      <div className={classes["interfaceLine"]}>
        <span className={classes["interfaceKind"]}>{kindName(draft.type)}</span>
        <TextInput
          className={classes["grow"] ?? ""}
          label={t("IP address")}
          value={draft.ip}
          onChange={(event) => onChange({ ip: event.currentTarget.value })}
        />
        <TextInput
          className={classes["grow"] ?? ""}
          label={t("DNS name")}
          value={draft.dns}
          onChange={(event) => onChange({ dns: event.currentTarget.value })}
        />
        <SegmentedControl
          aria-label={t("Connect to")}
          value={draft.useip ? "ip" : "dns"}
          onChange={(value) => onChange({ useip: value === "ip" })}
          data={[
            { value: "ip", label: t("IP") },
            { value: "dns", label: t("DNS") },
          ]}
        />
        <TextInput
          className={classes["port"] ?? ""}
          label={t("Port")}
          value={draft.port}
          onChange={(event) => onChange({ port: event.currentTarget.value })}
        />
        <Checkbox
          label={t("Default")}
          checked={draft.main}
          mb={6}
          onChange={(event) => onChange({ main: event.currentTarget.checked })}
        />
        <ActionIcon aria-label={t("Remove interface {n}", { n })} mb={1} onClick={onRemove}>
          <IconX size={14} />
        </ActionIcon>
      </div>
      {draft.type === SNMP ? (
        <SnmpEditor
          snmp={draft.snmp}
          onChange={(snmp) => onChange({ snmp: { ...draft.snmp, ...snmp } })}
        />
      ) : null}
      {error === undefined ? null : <span className="bad">{error}</span>}
      {extra}
    </div>
  );
}

const AUTH_PROTOCOLS = ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"];
const PRIV_PROTOCOLS = ["DES", "AES128", "AES192", "AES256", "AES192C", "AES256C"];
const numbered = (names: readonly string[]) =>
  names.map((label, at) => ({ value: String(at), label }));

interface SnmpEditorProps {
  readonly snmp: SnmpFields;
  readonly onChange: (change: Partial<SnmpFields>) => void;
}

export function SnmpEditor({ snmp, onChange }: SnmpEditorProps) {
  return (
    <div className={classes["details"]}>
      <Row>
        <Select
          label={t("SNMP version")}
          data={[
            { value: SNMPV1, label: "SNMPv1" },
            { value: SNMPV2, label: "SNMPv2c" },
            { value: SNMPV3, label: "SNMPv3" },
          ]}
          value={snmp.version}
          onChange={(version) =>
            onChange({ version: (version ?? SNMPV2) as SnmpFields["version"] })
          }
        />
        {snmp.version === SNMPV3 ? (
          <TextInput
            label={t("Security name")}
            value={snmp.securityName}
            onChange={(event) => onChange({ securityName: event.currentTarget.value })}
          />
        ) : (
          <TextInput
            label={t("Community")}
            value={snmp.community}
            onChange={(event) => onChange({ community: event.currentTarget.value })}
          />
        )}
        {snmp.version === SNMPV1 ? null : (
          <TextInput
            label={t("Max repetitions")}
            value={snmp.maxRepetitions}
            onChange={(event) => onChange({ maxRepetitions: event.currentTarget.value })}
          />
        )}
        <Checkbox
          label={t("Combine requests")}
          mt={26}
          checked={snmp.bulk}
          onChange={(event) => onChange({ bulk: event.currentTarget.checked })}
        />
      </Row>
      {snmp.version === SNMPV3 ? <SnmpV3Editor snmp={snmp} onChange={onChange} /> : null}
    </div>
  );
}

function SnmpV3Editor({ snmp, onChange }: SnmpEditorProps) {
  return (
    <Row>
      <Select
        label={t("Security level")}
        data={[
          { value: NO_AUTH, label: "noAuthNoPriv" },
          { value: AUTH, label: "authNoPriv" },
          { value: AUTH_AND_PRIVACY, label: "authPriv" },
        ]}
        value={snmp.securityLevel}
        onChange={(securityLevel) => onChange({ securityLevel: securityLevel ?? NO_AUTH })}
      />
      {snmp.securityLevel === NO_AUTH ? null : (
        <>
          <Select
            label={t("Authentication")}
            data={numbered(AUTH_PROTOCOLS)}
            value={snmp.authProtocol}
            onChange={(authProtocol) => onChange({ authProtocol: authProtocol ?? "0" })}
          />
          <PasswordInput
            label={t("Authentication passphrase")}
            autoComplete="off"
            value={snmp.authPassphrase}
            onChange={(event) => onChange({ authPassphrase: event.currentTarget.value })}
          />
        </>
      )}
      {snmp.securityLevel === AUTH_AND_PRIVACY ? (
        <>
          <Select
            label={t("Privacy")}
            data={numbered(PRIV_PROTOCOLS)}
            value={snmp.privProtocol}
            onChange={(privProtocol) => onChange({ privProtocol: privProtocol ?? "0" })}
          />
          <PasswordInput
            label={t("Privacy passphrase")}
            autoComplete="off"
            value={snmp.privPassphrase}
            onChange={(event) => onChange({ privPassphrase: event.currentTarget.value })}
          />
        </>
      ) : null}
      <TextInput
        label={t("Context name")}
        value={snmp.contextName}
        onChange={(event) => onChange({ contextName: event.currentTarget.value })}
      />
    </Row>
  );
}
