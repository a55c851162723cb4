// A web scenario: how it is run, and its steps in their order.

import { Button, PasswordInput, Select, Switch } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { WebScenario } from "@/api/web";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { PairEditor } from "@/widgets/pair-editor";
import { TagEditor } from "@/widgets/tag-editor";
import {
  checkGiven,
  checkVariables,
  draftOf,
  fieldsOf,
  isComplete,
  newStep,
  type WebFields,
} from "./draft";
import { SCENARIOS } from "./queries";
import { StepEditor } from "./step-editor";

export interface ScenarioFormProps {
  readonly owner: Owner;
  readonly scenario: WebScenario | undefined;
  readonly onDone: () => void;
}

type Parts = FormParts<WebFields>;

export function ScenarioForm({ owner, scenario, onDone }: ScenarioFormProps) {
  return (
    <ObjectForm
      calls={SCENARIOS}
      existing={scenario && { id: scenario.httptestid, name: scenario.name }}
      first={() => fieldsOf(scenario, owner.id)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <Common {...parts} />
          <Steps {...parts} />
          <Access {...parts} />
          <Section title={t("Tags")}>
            <TagEditor tags={parts.fields.tags} onChange={(tags) => parts.set({ tags })} />
          </Section>
        </>
      )}
    </ObjectForm>
  );
}

function Common({ fields, set, attempted, refusal }: Parts) {
  const said = (name: string, check = OK) => {
    const error = refusal(`/1/${name}`);
    return error === undefined ? check : bad(error, 0);
  };
  return (
    <Section
      title={t("Scenario")}
      {...(fields.isInherited
        ? {
            hint: t(
              "Inherited from a template: name, steps, proxy and certificates are changed there.",
            ),
          }
        : {})}
    >
      <Row>
        <CheckedInput
          label={t("Name")}
          value={fields.name}
          onChange={(name) => set({ name })}
          check={(name) => said("name", checkGiven(name))}
          required
          disabled={fields.isInherited}
          showAll={attempted}
        />
        <CheckedInput
          label={t("Update interval")}
          value={fields.delay}
          onChange={(delay) => set({ delay })}
          check={(delay) => said("delay", checkGiven(delay))}
          required
          showAll={attempted}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Attempts")}
          value={fields.retries}
          onChange={(retries) => set({ retries })}
          check={(it) => said("retries", /^([1-9]|10)$/.test(it) ? OK : bad(t("1 to 10"), 0))}
          description={t("1 to 10; of a step without a response")}
          showAll={attempted}
        />
        <CheckedInput
          label={t("User agent")}
          value={fields.agent}
          onChange={(agent) => set({ agent })}
          check={() => said("agent")}
        />
        <CheckedInput
          label={t("HTTP proxy")}
          value={fields.proxy}
          onChange={(proxy) => set({ proxy })}
          check={() => said("http_proxy")}
          disabled={fields.isInherited}
          placeholder="http://user:password@proxy:3128"
          mono
        />
      </Row>
      <Switch
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <span>{t("Variables")}</span>
      <PairEditor
        what={t("variable")}
        pairs={fields.variables}
        check={checkVariables(fields.variables)}
        disabled={false}
        onChange={(variables) => set({ variables })}
      />
      <span className="dim">
        {t(
          "Names are written as {name}. A value that begins with regex:, jsonpath: or xmlxpath: is extracted from each response.",
          { name: "{name}" },
        )}
      </span>
      <span>{t("Headers")}</span>
      <PairEditor
        what={t("header")}
        pairs={fields.headers}
        check={OK}
        disabled={false}
        onChange={(headers) => set({ headers })}
      />
    </Section>
  );
}

function Steps({ fields, set, attempted, refusal }: Parts) {
  return (
    <Section title={t("Steps")} hint={t("Cookies are kept between steps.")}>
      {fields.steps.map((step, at) => (
        <StepEditor
          key={step.key}
          steps={fields.steps}
          at={at}
          isInherited={fields.isInherited}
          attempted={attempted}
          refusal={refusal}
          onChange={(steps) => set({ steps })}
        />
      ))}
      {fields.isInherited ? null : (
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => set({ steps: [...fields.steps, newStep(fields.steps.length + 1)] })}
          >
            {t("Add step")}
          </Button>
        </div>
      )}
    </Section>
  );
}

function Access({ fields, set }: Parts) {
  const file = (name: "certFile" | "keyFile", label: string) => (
    <CheckedInput
      label={label}
      value={fields[name]}
      onChange={(value) => set({ [name]: value })}
      check={() => OK}
      disabled={fields.isInherited}
      mono
    />
  );
  return (
    <Section title={t("Authentication and TLS")}>
      <Row>
        <Select
          label={t("HTTP authentication")}
          data={[
            { value: "0", label: t("None") },
            { value: "1", label: t("Basic") },
            { value: "4", label: t("Digest") },
            { value: "2", label: "NTLM" },
            { value: "3", label: t("Kerberos") },
          ]}
          value={fields.auth}
          allowDeselect={false}
          onChange={(auth) => set({ auth: auth ?? fields.auth })}
        />
        {fields.auth === "0" || fields.auth === "3" ? null : (
          <>
            <CheckedInput
              label={t("User")}
              value={fields.user}
              onChange={(user) => set({ user })}
              check={() => OK}
            />
            <PasswordInput
              label={t("Password")}
              value={fields.password}
              autoComplete="new-password"
              onChange={(event) => set({ password: event.currentTarget.value })}
            />
          </>
        )}
      </Row>
      {fields.auth === "3" ? (
        <p className="dim">
          {t("The server uses its own Kerberos ticket. No user name is needed here.")}
        </p>
      ) : null}
      <Switch
        label={t("Verify the server's certificate")}
        checked={fields.verifyPeer}
        disabled={fields.isInherited}
        onChange={(event) => set({ verifyPeer: event.currentTarget.checked })}
      />
      <Switch
        label={t("Verify the server's name")}
        checked={fields.verifyHost}
        disabled={fields.isInherited}
        onChange={(event) => set({ verifyHost: event.currentTarget.checked })}
      />
      <Row>
        {file("certFile", t("SSL certificate file"))}
        {file("keyFile", t("SSL key file"))}
        <PasswordInput
          label={t("SSL key password")}
          value={fields.keyPassword}
          disabled={fields.isInherited}
          autoComplete="new-password"
          onChange={(event) => set({ keyPassword: event.currentTarget.value })}
        />
      </Row>
    </Section>
  );
}
