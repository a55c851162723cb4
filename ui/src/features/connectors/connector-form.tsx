// A connector: what is sent, where, and how requests are made.

import { Checkbox, PasswordInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import type { Connector } from "@/api/connectors";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { DescriptionField, NameField, Toggle } from "@/widgets/objects/fields";
import { Lines, TagConditionLine } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import classes from "./connectors.module.css";
import {
  BEARER,
  type ConnectorFields,
  checkAttempts,
  checkInterval,
  checkRecords,
  checkSenders,
  checkTimeout,
  checkToken,
  checkUrl,
  draftOf,
  EVENTS,
  fieldsOf,
  isComplete,
  KERBEROS,
  NO_AUTH,
  newRule,
  operatorOptions,
  takesUser,
  takesValue,
  VALUE_TYPES,
} from "./draft";
import { CONNECTORS } from "./queries";

export interface ConnectorFormProps {
  readonly connector: Connector | undefined;
  readonly onDone: () => void;
}

export function ConnectorForm({ connector, onDone }: ConnectorFormProps) {
  return (
    <ObjectForm
      calls={CONNECTORS}
      existing={connector && { id: connector.connectorid, name: connector.name }}
      first={() => fieldsOf(connector)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Target {...parts} />
          <What {...parts} />
          <Authentication {...parts} />
          <Requests {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<ConnectorFields>;

function Target(parts: PartProps) {
  const { fields, set, attempted } = parts;
  return (
    <Section
      title={t("Connector")}
      hint={t("Each value or event is a line of JSON in the body of a POST request.")}
    >
      <NameField {...parts} />
      <CheckedInput
        label={t("URL")}
        value={fields.url}
        onChange={(url) => set({ url })}
        check={checkUrl}
        required
        showAll={attempted}
      />
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
      />
      <Toggle
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(on) => set({ enabled: on })}
      />
    </Section>
  );
}

function What({ fields, set, attempted }: PartProps) {
  const types = Number(fields.item_value_type);
  return (
    <Section
      title={t("Data to send")}
      hint={t("Without a tag filter, all data of this type is sent.")}
    >
      <SegmentedControl
        className={classes["choice"] ?? ""}
        aria-label={t("Data type")}
        data={[
          { value: "0", label: t("Item values") },
          { value: EVENTS, label: t("Events") },
        ]}
        value={fields.data_type}
        onChange={(data_type) => set({ data_type })}
      />
      {fields.data_type === EVENTS ? null : (
        <fieldset className={classes["types"]}>
          <legend>{t("Type of information")}</legend>
          {VALUE_TYPES.map(({ bit, name }) => (
            <Checkbox
              key={bit}
              label={name}
              checked={(types & bit) !== 0}
              onChange={() => set({ item_value_type: String(types ^ bit) })}
            />
          ))}
          {attempted && types === 0 ? (
            <p className="bad">{t("at least one type is required")}</p>
          ) : null}
        </fieldset>
      )}
      <Lines
        lines={fields.tags}
        onChange={(tags) => set({ tags })}
        add={t("Add tag filter")}
        newLine={newRule}
        extra={
          fields.tags.length > 1 ? (
            <SegmentedControl
              aria-label={t("Tag filter")}
              data={[
                { value: "0", label: t("And/Or") },
                { value: "2", label: t("Or") },
              ]}
              value={fields.tags_evaltype}
              onChange={(tags_evaltype) => set({ tags_evaltype })}
            />
          ) : null
        }
      >
        {(parts) => (
          <TagConditionLine
            {...parts}
            what={t("tag")}
            operators={operatorOptions()}
            takesValue={takesValue}
          />
        )}
      </Lines>
    </Section>
  );
}

const LOGINS = [
  { value: NO_AUTH, label: t("None") },
  { value: "1", label: t("Basic") },
  { value: "4", label: t("Digest") },
  { value: "2", label: "NTLM" },
  { value: KERBEROS, label: t("Kerberos") },
  { value: BEARER, label: t("Bearer token") },
];

function Authentication({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Authentication and TLS")}
      hint={t("Use secret macros to hide passwords and tokens.")}
    >
      <Select
        label={t("HTTP authentication")}
        data={LOGINS}
        value={fields.authtype}
        allowDeselect={false}
        onChange={(authtype) => set({ authtype: authtype ?? NO_AUTH })}
      />
      {fields.authtype === KERBEROS ? (
        <p className="dim">
          {t("The server uses its own Kerberos ticket. No user name is needed here.")}
        </p>
      ) : null}
      {takesUser(fields.authtype) ? (
        <Row>
          <TextInput
            label={t("User name")}
            autoComplete="off"
            value={fields.username}
            onChange={(event) => set({ username: event.currentTarget.value })}
          />
          <PasswordInput
            label={t("Password")}
            autoComplete="new-password"
            value={fields.password}
            onChange={(event) => set({ password: event.currentTarget.value })}
          />
        </Row>
      ) : null}
      {fields.authtype === BEARER ? (
        <PasswordInput
          label={t("Bearer token")}
          autoComplete="new-password"
          required
          value={fields.token}
          error={attempted && !checkToken(fields.token).ok ? t("a token is required") : null}
          onChange={(event) => set({ token: event.currentTarget.value })}
        />
      ) : null}
      <Toggle
        label={t("Verify the receiver's certificate")}
        checked={fields.verifyPeer}
        onChange={(on) => set({ verifyPeer: on })}
      />
      <Toggle
        label={t("Verify the receiver's name")}
        checked={fields.verifyHost}
        onChange={(on) => set({ verifyHost: on })}
      />
      <Row>
        <TextInput
          label={t("SSL certificate file")}
          classNames={{ input: "mono" }}
          autoComplete="off"
          value={fields.ssl_cert_file}
          onChange={(event) => set({ ssl_cert_file: event.currentTarget.value })}
        />
        <TextInput
          label={t("SSL key file")}
          classNames={{ input: "mono" }}
          autoComplete="off"
          value={fields.ssl_key_file}
          onChange={(event) => set({ ssl_key_file: event.currentTarget.value })}
        />
        <PasswordInput
          label={t("SSL key password")}
          autoComplete="new-password"
          value={fields.ssl_key_password}
          onChange={(event) => set({ ssl_key_password: event.currentTarget.value })}
        />
      </Row>
      <p className="dim">
        {t(
          "Files in the folders set by outgoing.ssl_certs and outgoing.ssl_keys in the server settings.",
        )}
      </p>
    </Section>
  );
}

function Requests({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Requests")}
      hint={t(
        "Undelivered data stays in the journal and is sent when the receiver accepts it again.",
      )}
    >
      <Row>
        <CheckedInput
          label={t("Max records per message")}
          description={t("0: unlimited")}
          value={fields.max_records}
          onChange={(max_records) => set({ max_records })}
          check={checkRecords}
          showAll={attempted}
        />
        <CheckedInput
          label={t("Concurrent sessions")}
          description={t("1 to 100")}
          value={fields.max_senders}
          onChange={(max_senders) => set({ max_senders })}
          check={checkSenders}
          showAll={attempted}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Attempts")}
          description={t("1 to 5")}
          value={fields.max_attempts}
          onChange={(max_attempts) => set({ max_attempts })}
          check={checkAttempts}
          showAll={attempted}
        />
        {fields.max_attempts === "1" ? null : (
          <CheckedInput
            label={t("Attempt interval")}
            description={t("0s to 10s")}
            value={fields.attempt_interval}
            onChange={(attempt_interval) => set({ attempt_interval })}
            check={checkInterval}
            showAll={attempted}
          />
        )}
        <CheckedInput
          label={t("Timeout")}
          description={t("1s to 60s")}
          value={fields.timeout}
          onChange={(timeout) => set({ timeout })}
          check={checkTimeout}
          showAll={attempted}
        />
      </Row>
      <TextInput
        label={t("HTTP proxy")}
        placeholder="[protocol://][user[:password]@]proxy.example.com[:port]"
        value={fields.http_proxy}
        onChange={(event) => set({ http_proxy: event.currentTarget.value })}
      />
    </Section>
  );
}
