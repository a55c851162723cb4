// A rule of network discovery: which addresses are looked at, for what, and what a device is.

import { Select, Switch, TextInput } from "@mantine/core";
import type { NetworkRule } from "@/api/network-discovery";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import {
  AGENT,
  checkTypeOptions,
  isSnmp,
  PING,
  SNMP_V3,
  usualPort,
} from "@/widgets/network-checks";
import { checkOr, Toggle } from "@/widgets/objects/fields";
import { Line, type LineParts, Lines } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import {
  type CheckFields,
  checkConcurrency,
  checkDelay,
  checkError,
  checkLabel,
  checkName,
  checkRange,
  draftOf,
  fieldsOf,
  isComplete,
  newCheck,
  type RuleFields,
  valueChecks,
  withChecks,
} from "./draft";
import classes from "./networkdiscovery.module.css";
import { NETWORK_RULES } from "./queries";

export interface NetworkRuleFormProps {
  readonly rule: NetworkRule | undefined;
  readonly onDone: () => void;
}

export function NetworkRuleForm({ rule, onDone }: NetworkRuleFormProps) {
  return (
    <ObjectForm
      calls={NETWORK_RULES}
      existing={rule && { id: rule.druleid, name: rule.name }}
      first={() => fieldsOf(rule)}
      isComplete={isComplete}
      draftOf={draftOf}
      cloned={(fields) => ({
        name: t("{name} (copy)", { name: fields.name }),
        // ids of checks are those of the rule that is copied
        checks: fields.checks.map((it) => ({ ...it, dcheckid: "" })),
      })}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <General {...parts} error={rule?.error ?? ""} />
          <Checks {...parts} />
          <Devices {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<RuleFields>;

function General({
  fields,
  set,
  attempted,
  refusal,
  error,
}: PartProps & { readonly error: string }) {
  return (
    <Section
      title={t("Network discovery rule")}
      hint={t("Addresses to scan and the update interval.")}
    >
      {error === "" ? null : (
        <p className="bad" role="status">
          {error}
        </p>
      )}
      <CheckedInput
        label={t("Name")}
        value={fields.name}
        onChange={(name) => set({ name })}
        check={checkOr(refusal("/1/name"), checkName)}
        required
        showAll={attempted}
      />
      <CheckedInput
        label={t("IP range")}
        description={t("Addresses, ranges and networks, separated by commas")}
        placeholder="192.168.0.1-254,10.0.0.0/24"
        value={fields.iprange}
        onChange={(iprange) => set({ iprange })}
        check={checkOr(refusal("/1/iprange"), checkRange)}
        required
        mono
        rows={2}
        showAll={attempted}
      />
      <Row>
        <CheckedInput
          label={t("Update interval")}
          value={fields.delay}
          onChange={(delay) => set({ delay })}
          check={checkOr(refusal("/1/delay"), checkDelay)}
          required
          showAll={attempted}
        />
        <CheckedInput
          label={t("Maximum concurrent checks")}
          description={t("0: unlimited")}
          value={fields.concurrency_max}
          onChange={(concurrency) => set({ concurrency_max: concurrency })}
          check={checkOr(refusal("/1/concurrency_max"), checkConcurrency)}
          showAll={attempted}
        />
      </Row>
      <Toggle
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(enabled) => set({ enabled })}
      />
    </Section>
  );
}

function Checks({ fields, set, attempted, refusal }: PartProps) {
  const { checks } = fields;
  const isMissing = attempted && checks.length === 0;
  return (
    <Section title={t("Checks")} hint={t("Checks that run at each address.")}>
      <Lines
        lines={checks}
        onChange={(next) => set(withChecks(fields, next))}
        add={t("Add check")}
        newLine={() => newCheck(AGENT)}
        error={isMissing ? t("a check is required") : undefined}
      >
        {(parts) => (
          <CheckLine
            {...parts}
            error={
              refusal(`/1/dchecks/${parts.n}`) ?? (attempted ? checkError(parts.line) : undefined)
            }
          />
        )}
      </Lines>
    </Section>
  );
}

interface CheckLineProps extends LineParts<CheckFields> {
  readonly error: string | undefined;
}

function CheckLine(props: CheckLineProps) {
  const { line, n, change, remove, error } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a section of the form
    <div role="group" aria-label={t("Check {n}", { n })}>
      <Line remove={t("Remove check {n}", { n })} onRemove={remove}>
        <Select
          className={classes["type"] ?? ""}
          aria-label={t("Type of check {n}", { n })}
          data={checkTypeOptions()}
          value={line.type}
          allowDeselect={false}
          onChange={(type) =>
            type === null || type === line.type
              ? undefined
              : change({ type, ports: usualPort(type), key_: "" })
          }
        />
        <Content {...props} />
      </Line>
      {line.type === SNMP_V3 ? <User {...props} /> : null}
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function Content({ line, n, change }: CheckLineProps) {
  if (line.type === PING) {
    return (
      <Switch
        className={classes["wide"] ?? ""}
        label={t("Allow redirect")}
        checked={line.allow_redirect === "1"}
        onChange={(event) => change({ allow_redirect: event.currentTarget.checked ? "1" : "0" })}
      />
    );
  }
  return (
    <>
      <TextInput
        className={classes["ports"] ?? ""}
        aria-label={t("Ports of check {n}", { n })}
        placeholder={t("ports")}
        value={line.ports}
        onChange={(event) => change({ ports: event.currentTarget.value })}
      />
      {line.type === AGENT || isSnmp(line.type) ? (
        <TextInput
          className={classes["wide"] ?? ""}
          aria-label={
            line.type === AGENT ? t("Key of check {n}", { n }) : t("OID of check {n}", { n })
          }
          placeholder={line.type === AGENT ? "system.hostname" : "1.3.6.1.2.1.1.5.0"}
          classNames={{ input: "mono" }}
          value={line.key_}
          onChange={(event) => change({ key_: event.currentTarget.value })}
        />
      ) : (
        <span className={classes["wide"]} />
      )}
      {isSnmp(line.type) && line.type !== SNMP_V3 ? (
        <TextInput
          aria-label={t("Community of check {n}", { n })}
          placeholder={t("community")}
          value={line.snmp_community}
          onChange={(event) => change({ snmp_community: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}

const LEVELS = ["noAuthNoPriv", "authNoPriv", "authPriv"] as const;
const AUTH = ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
const PRIV = ["DES", "AES128", "AES192", "AES256", "AES192C", "AES256C"] as const;

function coded(names: readonly string[]) {
  return names.map((label, code) => ({ value: String(code), label }));
}

/** The user of SNMPv3. */
function User({ line, n, change }: CheckLineProps) {
  const level = line.snmpv3_securitylevel;
  return (
    <div className={classes["user"]}>
      <TextInput
        aria-label={t("User of check {n}", { n })}
        placeholder={t("user")}
        value={line.snmpv3_securityname}
        onChange={(event) => change({ snmpv3_securityname: event.currentTarget.value })}
      />
      <TextInput
        aria-label={t("Context of check {n}", { n })}
        placeholder={t("context")}
        value={line.snmpv3_contextname}
        onChange={(event) => change({ snmpv3_contextname: event.currentTarget.value })}
      />
      <Select
        aria-label={t("Security level of check {n}", { n })}
        data={coded(LEVELS)}
        value={level}
        allowDeselect={false}
        onChange={(it) => change({ snmpv3_securitylevel: it ?? level })}
      />
      {level === "0" ? null : (
        <>
          <Select
            aria-label={t("Authentication of check {n}", { n })}
            data={coded(AUTH)}
            value={line.snmpv3_authprotocol}
            allowDeselect={false}
            onChange={(it) => change({ snmpv3_authprotocol: it ?? line.snmpv3_authprotocol })}
          />
          <TextInput
            type="password"
            autoComplete="off"
            aria-label={t("Authentication passphrase of check {n}", { n })}
            placeholder={t("authentication passphrase")}
            value={line.snmpv3_authpassphrase}
            onChange={(event) => change({ snmpv3_authpassphrase: event.currentTarget.value })}
          />
        </>
      )}
      {level === "2" ? (
        <>
          <Select
            aria-label={t("Privacy of check {n}", { n })}
            data={coded(PRIV)}
            value={line.snmpv3_privprotocol}
            allowDeselect={false}
            onChange={(it) => change({ snmpv3_privprotocol: it ?? line.snmpv3_privprotocol })}
          />
          <TextInput
            type="password"
            autoComplete="off"
            aria-label={t("Privacy passphrase of check {n}", { n })}
            placeholder={t("privacy passphrase")}
            value={line.snmpv3_privpassphrase}
            onChange={(event) => change({ snmpv3_privpassphrase: event.currentTarget.value })}
          />
        </>
      ) : null}
    </div>
  );
}

const BY_CHECK = "check:";

function Devices({ fields, set }: PartProps) {
  const values = valueChecks(fields).map((it) => ({
    value: `${BY_CHECK}${it.key}`,
    label: t("value of {check}", { check: checkLabel(it) }),
  }));
  const shown = (of: string | number) => (typeof of === "number" ? `${BY_CHECK}${of}` : of);
  const read = (text: string | null, none: string) =>
    text?.startsWith(BY_CHECK) === true ? Number(text.slice(BY_CHECK.length)) : (text ?? none);
  return (
    <Section
      title={t("Devices")}
      hint={t("How devices are identified and how hosts created by actions are named.")}
    >
      <Row>
        <Select
          label={t("Device uniqueness criteria")}
          data={[{ value: "ip", label: t("IP address") }, ...values]}
          value={fields.unique === undefined ? "ip" : `${BY_CHECK}${fields.unique}`}
          allowDeselect={false}
          onChange={(it) => {
            const unique = read(it, "ip");
            set({ unique: typeof unique === "number" ? unique : undefined });
          }}
        />
        <Select
          label={t("Host name")}
          data={[
            { value: "1", label: t("DNS name") },
            { value: "2", label: t("IP address") },
            ...values,
          ]}
          value={shown(fields.hostSource)}
          allowDeselect={false}
          onChange={(it) => set({ hostSource: read(it, "1") })}
        />
        <Select
          label={t("Visible name")}
          data={[
            { value: "0", label: t("host name") },
            { value: "1", label: t("DNS name") },
            { value: "2", label: t("IP address") },
            ...values,
          ]}
          value={shown(fields.nameSource)}
          allowDeselect={false}
          onChange={(it) => set({ nameSource: read(it, "0") })}
        />
      </Row>
    </Section>
  );
}
