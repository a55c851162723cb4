// A media type: what it is sent by, and how often that is tried.

import { Input, PasswordInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import type { MediaType } from "@/api/media";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { DescriptionField, NameField, Toggle } from "@/widgets/objects/fields";
import { Line, Lines } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import {
  changeOf,
  checkAttempts,
  checkGiven,
  checkPort,
  checkSessions,
  EMAIL,
  fieldsOf,
  isComplete,
  type MediaTypeFields,
  newParameter,
  SCRIPT,
  typeOptions,
  WEBHOOK,
} from "./draft";
import classes from "./mediatypes.module.css";
import { MEDIA_TYPES } from "./queries";

export interface MediaTypeFormProps {
  readonly mediaType: MediaType | undefined;
  readonly onDone: () => void;
}

export function MediaTypeForm({ mediaType, onDone }: MediaTypeFormProps) {
  return (
    <ObjectForm
      calls={MEDIA_TYPES}
      existing={mediaType && { id: mediaType.mediatypeid, name: mediaType.name }}
      first={() => fieldsOf(mediaType)}
      isComplete={isComplete}
      draftOf={changeOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Common {...parts} />
          {parts.fields.type === EMAIL ? <Email {...parts} /> : null}
          {parts.fields.type === WEBHOOK ? <Webhook {...parts} /> : null}
          {parts.fields.type === SCRIPT ? <Script {...parts} /> : null}
          <Attempts {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<MediaTypeFields>;

function Common(parts: PartProps) {
  const { fields, set } = parts;
  return (
    <Section title={t("Media type")}>
      <NameField {...parts} />
      <SegmentedControl
        className={classes["choice"] ?? ""}
        aria-label={t("Type")}
        data={typeOptions()}
        value={fields.type}
        onChange={(type) => set({ type })}
      />
      <DescriptionField
        value={fields.description}
        rows={3}
        onChange={(description) => set({ description })}
      />
      <Toggle
        label={t("Enabled")}
        checked={fields.status === "0"}
        onChange={(on) => set({ status: on ? "0" : "1" })}
      />
    </Section>
  );
}

function Email({ fields, set, attempted }: PartProps) {
  return (
    <Section title={t("E-mail")}>
      <Row>
        <CheckedInput
          label={t("SMTP server")}
          value={fields.smtp_server}
          onChange={(smtp_server) => set({ smtp_server })}
          check={checkGiven}
          required
          showAll={attempted}
        />
        <CheckedInput
          label={t("Port")}
          value={fields.smtp_port}
          onChange={(smtp_port) => set({ smtp_port })}
          check={checkPort}
          showAll={attempted}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Sender")}
          description={t("Name <address>, or an address")}
          value={fields.smtp_email}
          onChange={(smtp_email) => set({ smtp_email })}
          check={checkGiven}
          required
          showAll={attempted}
        />
        <TextInput
          label={t("SMTP HELO")}
          description={t("empty: the sender's domain")}
          value={fields.smtp_helo}
          onChange={(event) => set({ smtp_helo: event.currentTarget.value })}
        />
      </Row>
      <Input.Wrapper label={t("Connection security")} labelElement="div">
        <SegmentedControl
          className={classes["choice"] ?? ""}
          aria-label={t("Connection security")}
          data={[
            { value: "0", label: t("None") },
            { value: "1", label: "STARTTLS" },
            { value: "2", label: "TLS" },
          ]}
          value={fields.smtp_security}
          onChange={(smtp_security) => set({ smtp_security })}
        />
      </Input.Wrapper>
      {fields.smtp_security === "0" ? null : (
        <>
          <Toggle
            label={t("Verify the server's certificate")}
            checked={fields.smtp_verify_peer === "1"}
            onChange={(on) => set({ smtp_verify_peer: on ? "1" : "0" })}
          />
          <Toggle
            label={t("Verify the server's name")}
            checked={fields.smtp_verify_host === "1"}
            onChange={(on) => set({ smtp_verify_host: on ? "1" : "0" })}
          />
        </>
      )}
      {fields.smtp_authentication === "2" ? (
        <p>{t("Uses OAuth, which is configured through the API.")}</p>
      ) : (
        <Toggle
          label={t("Authenticate with user name and password")}
          checked={fields.smtp_authentication === "1"}
          onChange={(on) => set({ smtp_authentication: on ? "1" : "0" })}
        />
      )}
      {fields.smtp_authentication === "1" ? (
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
            value={fields.passwd}
            onChange={(event) => set({ passwd: event.currentTarget.value })}
          />
        </Row>
      ) : null}
      <Input.Wrapper label={t("Message format")} labelElement="div">
        <SegmentedControl
          className={classes["choice"] ?? ""}
          aria-label={t("Message format")}
          data={[
            { value: "0", label: t("Plain text") },
            { value: "1", label: "HTML" },
          ]}
          value={fields.message_format}
          onChange={(message_format) => set({ message_format })}
        />
      </Input.Wrapper>
    </Section>
  );
}

function Webhook(props: PartProps) {
  const { fields, set, attempted } = props;
  const isMissing = attempted && !checkGiven(fields.script).ok;
  return (
    <Section
      title={t("Webhook")}
      hint={t(
        "The script gets the parameters as JSON in value. Its return value or exception is the result.",
      )}
    >
      <Parameters {...props} isNamed />
      <Textarea
        className={classes["code"] ?? ""}
        label={t("Script")}
        rows={14}
        spellCheck={false}
        required
        value={fields.script}
        error={isMissing ? t("this is required") : null}
        onChange={(event) => set({ script: event.currentTarget.value })}
      />
      <TextInput
        label={t("Timeout")}
        description={t("1s to 60s")}
        value={fields.timeout}
        onChange={(event) => set({ timeout: event.currentTarget.value })}
      />
      <Toggle
        label={t("Process tags: add tags from the result to the event")}
        checked={fields.process_tags === "1"}
        onChange={(on) => set({ process_tags: on ? "1" : "0" })}
      />
    </Section>
  );
}

function Script(props: PartProps) {
  const { fields, set, attempted } = props;
  return (
    <Section
      title={t("Script")}
      hint={t("A file in the folder set by alerting.scripts in the server settings.")}
    >
      <CheckedInput
        label={t("File name")}
        value={fields.exec_path}
        onChange={(exec_path) => set({ exec_path })}
        check={checkGiven}
        required
        showAll={attempted}
      />
      <Parameters {...props} isNamed={false} />
    </Section>
  );
}

function Parameters({ fields, set, isNamed }: PartProps & { readonly isNamed: boolean }) {
  return (
    <Lines
      lines={fields.parameters}
      onChange={(parameters) => set({ parameters })}
      add={t("Add parameter")}
      newLine={newParameter}
    >
      {({ line, n, change, remove }) => (
        <Line remove={t("Remove parameter {n}", { n })} onRemove={remove}>
          {isNamed ? (
            <TextInput
              aria-label={t("Name of parameter {n}", { n })}
              placeholder={t("name")}
              value={line.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          ) : null}
          <TextInput
            aria-label={t("Value of parameter {n}", { n })}
            placeholder={t("value")}
            value={line.value}
            onChange={(event) => change({ value: event.currentTarget.value })}
          />
        </Line>
      )}
    </Lines>
  );
}

function Attempts({ fields, set, attempted }: PartProps) {
  return (
    <Section title={t("Attempts")}>
      <Row>
        <CheckedInput
          label={t("Concurrent sessions")}
          description={t("0: up to the limit of the server")}
          value={fields.maxsessions}
          onChange={(maxsessions) => set({ maxsessions })}
          check={checkSessions}
          showAll={attempted}
        />
        <CheckedInput
          label={t("Attempts")}
          description={t("1 to 100")}
          value={fields.maxattempts}
          onChange={(maxattempts) => set({ maxattempts })}
          check={checkAttempts}
          showAll={attempted}
        />
        <TextInput
          label={t("Attempt interval")}
          description={t("0s to 1h")}
          value={fields.attempt_interval}
          onChange={(event) => set({ attempt_interval: event.currentTarget.value })}
        />
      </Row>
    </Section>
  );
}
