// How an item logs in at what it asks, and what it asks there: a section of the forms of items and rules.

import { PasswordInput, SegmentedControl } from "@mantine/core";
import { t } from "@/lib/i18n";
import { IPMI, JMX, ODBC, SSH } from "@/lib/item-types";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { type AccessFields, hasCommand, hasLogin, hasTimeout } from "./access-fields";
import { checkRequest } from "./request-fields";
import type { RequestSectionsProps } from "./request-sections";
import { rowsFor, TimeoutField } from "./timeout-field";

interface PartProps extends RequestSectionsProps {
  readonly access: (change: Partial<AccessFields>) => void;
}

export function AccessSections(props: RequestSectionsProps) {
  const { fields, set } = props;
  const { type } = fields;
  if (!(hasLogin(type) || hasTimeout(type) || type === IPMI)) return null;
  const access = (change: Partial<AccessFields>) =>
    set({ access: { ...fields.access, ...change } });
  const parts = { ...props, access };
  return (
    <Section title={t("Check")} hint={t("Macros are supported in all text fields.")}>
      {type === JMX ? <EndpointField {...parts} /> : null}
      {type === IPMI ? <SensorField {...parts} /> : null}
      {hasLogin(type) ? <LoginFields {...parts} /> : null}
      {hasCommand(type) ? <CommandField {...parts} /> : null}
      {hasTimeout(type) ? <TimeoutField {...props} /> : null}
    </Section>
  );
}

function EndpointField({ fields, access, locked, attempted }: PartProps) {
  return (
    <CheckedInput
      label={t("JMX endpoint")}
      value={fields.access.jmxEndpoint}
      onChange={(jmxEndpoint) => access({ jmxEndpoint })}
      check={() => checkRequest(fields).access.jmxEndpoint}
      required
      mono
      disabled={locked}
      showAll={attempted}
    />
  );
}

function SensorField({ fields, access, locked, attempted }: PartProps) {
  return (
    <CheckedInput
      label={t("IPMI sensor")}
      value={fields.access.ipmiSensor}
      onChange={(ipmiSensor) => access({ ipmiSensor })}
      check={() => checkRequest(fields).access.ipmiSensor}
      placeholder="id:FAN MOD 1A RPM"
      disabled={locked}
      showAll={attempted}
    />
  );
}

function LoginFields({ fields, access, locked, attempted }: PartProps) {
  const of = fields.access;
  const checks = checkRequest(fields).access;
  const isSsh = fields.type === SSH;
  return (
    <>
      {isSsh ? (
        <SegmentedControl
          aria-label={t("Log in with")}
          value={of.byKey ? "key" : "password"}
          disabled={locked}
          onChange={(value) => access({ byKey: value === "key" })}
          data={[
            { value: "password", label: t("Password") },
            { value: "key", label: t("Public key") },
          ]}
        />
      ) : null}
      <Row>
        <CheckedInput
          label={t("User name")}
          value={of.user}
          onChange={(user) => access({ user })}
          check={() => checks.user}
          disabled={locked}
          showAll={attempted}
        />
        <PasswordInput
          label={isSsh && of.byKey ? t("Key passphrase") : t("Password")}
          autoComplete="off"
          value={of.password}
          disabled={locked}
          onChange={(event) => access({ password: event.currentTarget.value })}
        />
      </Row>
      {isSsh && of.byKey ? (
        <Row>
          <CheckedInput
            label={t("Public key file")}
            value={of.publicKey}
            onChange={(publicKey) => access({ publicKey })}
            check={() => checks.publicKey}
            placeholder="id_ed25519.pub"
            disabled={locked}
            showAll={attempted}
          />
          <CheckedInput
            label={t("Private key file")}
            value={of.privateKey}
            onChange={(privateKey) => access({ privateKey })}
            check={() => checks.privateKey}
            placeholder="id_ed25519"
            disabled={locked}
            showAll={attempted}
          />
        </Row>
      ) : null}
    </>
  );
}

function CommandField({ fields, access, locked, attempted }: PartProps) {
  const isQuery = fields.type === ODBC;
  return (
    <CheckedInput
      label={isQuery ? t("SQL query") : t("Executed script")}
      value={fields.access.command}
      onChange={(command) => access({ command })}
      check={() => checkRequest(fields).access.command}
      placeholder={isQuery ? "select count(*) from orders" : "uptime"}
      rows={rowsFor(fields.access.command)}
      required
      mono
      disabled={locked}
      showAll={attempted}
    />
  );
}
