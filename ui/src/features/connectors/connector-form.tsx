// A connector: what is sent, where, and how requests are made.

import {
  ActionIcon,
  Button,
  Checkbox,
  PasswordInput,
  SegmentedControl,
  Select,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { Connector } from "@/api/connectors";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { DeleteButton } from "@/ui/delete-button";
import { Form, Row, Section } from "@/ui/form";
import { withAt, withoutAt } from "@/widgets/keyed";
import classes from "./connectors.module.css";
import {
  BASIC,
  BEARER,
  type ConnectorFields,
  checkAttempts,
  checkInterval,
  checkName,
  checkRecords,
  checkSenders,
  checkTimeout,
  checkToken,
  checkUrl,
  draftOf,
  EVENTS,
  fieldsOf,
  isComplete,
  newRule,
  operatorOptions,
  takesValue,
  VALUE_TYPES,
} from "./draft";
import { useConnectorMutations } from "./queries";

export interface ConnectorFormProps {
  readonly connector: Connector | undefined;
  readonly onDone: () => void;
}

export function ConnectorForm({ connector, onDone }: ConnectorFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(connector));
  const [attempted, setAttempted] = useState(false);
  const { save } = useConnectorMutations(onDone);
  const set = (change: Partial<ConnectorFields>) =>
    setFields((before) => ({ ...before, ...change }));
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields)) {
      save.mutate({ id: connector?.connectorid, draft: draftOf(fields) });
    }
  };
  const parts = { fields, set, attempted };
  return (
    <Form
      label={connector === undefined ? t("New connector") : t("Connector")}
      draft={fields}
      onSubmit={submit}
      onCancel={onDone}
      submitText={connector === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={
        connector === undefined ? null : (
          <DeleteConnector connector={connector} onDeleted={onDone} />
        )
      }
    >
      <Target {...parts} />
      <What {...parts} />
      <Authentication {...parts} />
      <Requests {...parts} />
    </Form>
  );
}

interface PartProps {
  readonly fields: ConnectorFields;
  readonly set: (change: Partial<ConnectorFields>) => void;
  readonly attempted: boolean;
}

function Target({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Connector")}
      hint={t("Each value or event is a line of JSON in the body of a POST request.")}
    >
      <CheckedInput
        label={t("Name")}
        value={fields.name}
        onChange={(name) => set({ name })}
        check={checkName}
        required
        showAll={attempted}
      />
      <CheckedInput
        label={t("URL")}
        value={fields.url}
        onChange={(url) => set({ url })}
        check={checkUrl}
        required
        showAll={attempted}
      />
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

function What({ fields, set, attempted }: PartProps) {
  const types = Number(fields.item_value_type);
  const addRule = () => set({ tags: [...fields.tags, newRule()] });
  return (
    <Section
      title={t("What is sent")}
      hint={t("Without conditions on tags everything of the type is sent.")}
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
              label={t(name)}
              checked={(types & bit) !== 0}
              onChange={() => set({ item_value_type: String(types ^ bit) })}
            />
          ))}
          {attempted && types === 0 ? <p className="bad">{t("one type is required")}</p> : null}
        </fieldset>
      )}
      <div className={classes["rules"]}>
        {fields.tags.map((rule, at) => (
          <div key={rule.key} className={classes["rule"]}>
            <TextInput
              aria-label={t("Tag {n}", { n: at + 1 })}
              placeholder={t("tag")}
              value={rule.tag}
              onChange={(event) =>
                set({ tags: withAt(fields.tags, at, { tag: event.currentTarget.value }) })
              }
            />
            <Select
              aria-label={t("Operator of tag {n}", { n: at + 1 })}
              data={operatorOptions()}
              value={rule.operator}
              onChange={(operator) =>
                set({ tags: withAt(fields.tags, at, { operator: operator ?? "0" }) })
              }
            />
            {takesValue(rule.operator) ? (
              <TextInput
                aria-label={t("Value of tag {n}", { n: at + 1 })}
                placeholder={t("value")}
                value={rule.value}
                onChange={(event) =>
                  set({ tags: withAt(fields.tags, at, { value: event.currentTarget.value }) })
                }
              />
            ) : (
              <span className={classes["none"]} />
            )}
            <ActionIcon
              aria-label={t("Remove tag {n}", { n: at + 1 })}
              onClick={() => set({ tags: withoutAt(fields.tags, at) })}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
        ))}
      </div>
      <div className={classes["add"]}>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={addRule}
        >
          {t("Add condition on tags")}
        </Button>
        {fields.tags.length > 1 ? (
          <SegmentedControl
            aria-label={t("Conditions on tags")}
            data={[
              { value: "0", label: t("And/Or") },
              { value: "2", label: t("Or") },
            ]}
            value={fields.tags_evaltype}
            onChange={(tags_evaltype) => set({ tags_evaltype })}
          />
        ) : null}
      </div>
    </Section>
  );
}

function Authentication({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Authentication")}
      hint={t("Secret macros keep passwords and tokens out of sight.")}
    >
      <SegmentedControl
        className={classes["choice"] ?? ""}
        aria-label={t("HTTP authentication")}
        data={[
          { value: "0", label: t("None") },
          { value: BASIC, label: t("Basic") },
          { value: BEARER, label: t("Bearer token") },
        ]}
        value={fields.authtype}
        onChange={(authtype) => set({ authtype })}
      />
      {fields.authtype === BASIC ? (
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
      <Switch
        label={t("Check the receiver's certificate")}
        checked={fields.verifyPeer}
        onChange={(event) => set({ verifyPeer: event.currentTarget.checked })}
      />
      <Switch
        label={t("Check the name in the certificate")}
        checked={fields.verifyHost}
        onChange={(event) => set({ verifyHost: event.currentTarget.checked })}
      />
    </Section>
  );
}

function Requests({ fields, set, attempted }: PartProps) {
  return (
    <Section
      title={t("Requests")}
      hint={t("What a receiver does not take is kept in the journal and sent later.")}
    >
      <Row>
        <CheckedInput
          label={t("Max records per message")}
          description={t("0: as many as there are")}
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

interface DeleteConnectorProps {
  readonly connector: Connector;
  readonly onDeleted: () => void;
}

function DeleteConnector({ connector, onDeleted }: DeleteConnectorProps) {
  const { remove } = useConnectorMutations(onDeleted);
  return (
    <DeleteButton
      label={t("Delete connector")}
      name={connector.name}
      busy={remove.isPending}
      onDelete={() => remove.mutate([connector.connectorid])}
    >
      {t("What has not been sent by then is not sent any more.")}
    </DeleteButton>
  );
}
