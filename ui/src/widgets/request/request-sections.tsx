// What an HTTP agent asks, the script of a script, how others log in: sections of the forms of items and of discovery rules.

import { Input, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { BROWSER, HTTP_AGENT, isScripted } from "@/lib/item-types";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import type { Keyed } from "@/widgets/keyed";
import { type Pair, PairEditor } from "@/widgets/pair-editor";
import { AccessSections } from "./access-section";
import { HEAD, type HttpFields, NO_AUTH } from "./http-fields";
import { checkRequest, type RequestChecks, type RequestFields } from "./request-fields";
import { rowsFor, TimeoutField } from "./timeout-field";

export interface RequestSectionsProps {
  readonly fields: RequestFields;
  readonly set: (change: Partial<RequestFields>) => void;
  /** all but what a host may have otherwise than its template */
  readonly locked: boolean;
  /** of discovered items: what hosts may have otherwise, too */
  readonly discovered?: boolean;
  readonly attempted: boolean;
}

export function RequestSections(props: RequestSectionsProps) {
  if (isScripted(props.fields.type)) return <ScriptSection {...props} />;
  if (props.fields.type !== HTTP_AGENT) return <AccessSections {...props} />;
  const { fields, set } = props;
  const http = (change: Partial<HttpFields>) => set({ http: { ...fields.http, ...change } });
  const parts = { ...props, checks: checkRequest(fields), http };
  return (
    <>
      <RequestSection {...parts} />
      <AnswerSection {...parts} />
      <AccessSection {...parts} />
    </>
  );
}

const SCRIPT_EXAMPLE = `var request = new HttpRequest();
return request.get(JSON.parse(value).url);`;
const BROWSER_EXAMPLE = `var browser = new Browser(Browser.chromeOptions());
browser.navigate(JSON.parse(value).url);
browser.collectPerfEntries();
return JSON.stringify(browser.getResult());`;

function ScriptSection({ fields, set, locked, attempted }: RequestSectionsProps) {
  const checks = checkRequest(fields);
  const isBrowser = fields.type === BROWSER;
  return (
    <Section
      title={t("Script")}
      hint={
        isBrowser
          ? t(
              "The body of a function with the parameter value: the parameters as JSON. It controls a browser through the WebDriver of the server. Its return value is the item value.",
            )
          : t(
              "The body of a function with the parameter value: the parameters as JSON. Its return value is the item value.",
            )
      }
    >
      <Pairs
        label={t("Parameters")}
        what={t("parameter")}
        pairs={fields.parameters}
        check={shown(checks.parameters, attempted)}
        disabled={locked}
        onChange={(parameters) => set({ parameters })}
      />
      <CheckedInput
        label={t("Script")}
        value={fields.script}
        onChange={(script) => set({ script })}
        check={() => checks.script}
        placeholder={isBrowser ? BROWSER_EXAMPLE : SCRIPT_EXAMPLE}
        rows={Math.max(8, rowsFor(fields.script))}
        required
        mono
        disabled={locked}
        showAll={attempted}
      />
      <TimeoutField fields={fields} set={set} locked={locked} attempted={attempted} />
    </Section>
  );
}

interface PartProps extends RequestSectionsProps {
  readonly checks: RequestChecks;
  readonly http: (change: Partial<HttpFields>) => void;
}

const METHODS = [
  { value: "0", label: "GET" },
  { value: "1", label: "POST" },
  { value: "2", label: "PUT" },
  { value: HEAD, label: "HEAD" },
];

function RequestSection(props: PartProps) {
  const { fields, set, checks, http, locked, attempted } = props;
  const of = fields.http;
  return (
    <Section title={t("Request")} hint={t("Macros are supported in all text fields.")}>
      <CheckedInput
        label={t("URL")}
        value={of.url}
        onChange={(url) => http({ url })}
        check={() => checks.http.url}
        placeholder="http://{HOST.CONN}/status"
        required
        mono
        disabled={locked}
        showAll={attempted}
      />
      <Pairs
        label={t("Query fields")}
        what={t("query field")}
        pairs={of.query}
        check={shown(checks.http.query, attempted)}
        disabled={locked}
        onChange={(query) => http({ query })}
      />
      <Row>
        <Select
          label={t("Request method")}
          data={METHODS}
          value={of.method}
          disabled={locked}
          onChange={(method) => http({ method: method ?? "0" })}
        />
        {of.method === HEAD ? null : (
          <Select
            label={t("Body type")}
            data={[
              { value: "0", label: t("Raw") },
              { value: "2", label: "JSON" },
              { value: "3", label: "XML" },
            ]}
            value={of.bodyType}
            disabled={locked}
            onChange={(bodyType) => http({ bodyType: bodyType ?? "0" })}
          />
        )}
        <TimeoutField fields={fields} set={set} locked={locked} attempted={attempted} />
      </Row>
      {of.method === HEAD ? null : (
        <CheckedInput
          label={t("Body")}
          value={of.body}
          onChange={(body) => http({ body })}
          check={() => checks.http.body}
          rows={rowsFor(of.body)}
          mono
          disabled={locked}
          showAll={attempted}
        />
      )}
      <Pairs
        label={t("Headers")}
        what={t("header")}
        pairs={of.headers}
        check={shown(checks.http.headers, attempted)}
        disabled={locked}
        onChange={(headers) => http({ headers })}
      />
      <TextInput
        label={t("HTTP proxy")}
        placeholder="http://user:password@proxy:3128"
        classNames={{ input: "mono" }}
        value={of.proxy}
        disabled={locked}
        onChange={(event) => http({ proxy: event.currentTarget.value })}
      />
    </Section>
  );
}

function AnswerSection({
  fields,
  set,
  checks,
  http,
  locked,
  discovered = false,
  attempted,
}: PartProps) {
  const of = fields.http;
  return (
    <Section title={t("Response")}>
      <Row>
        <CheckedInput
          label={t("Required status codes")}
          value={of.statusCodes}
          onChange={(statusCodes) => http({ statusCodes })}
          check={() => checks.http.statusCodes}
          placeholder={t("any; or 200,300-399")}
          disabled={locked}
          showAll={attempted}
        />
        <Select
          label={t("Retrieve mode")}
          data={[
            { value: "0", label: t("Body") },
            { value: "1", label: t("Headers") },
            { value: "2", label: t("Body and headers") },
          ]}
          // a HEAD request is answered by headers alone
          value={of.method === HEAD ? "1" : of.retrieve}
          disabled={locked || of.method === HEAD}
          onChange={(retrieve) => http({ retrieve: retrieve ?? "0" })}
        />
      </Row>
      <Flag
        label={t("Follow redirects")}
        checked={of.followRedirects}
        disabled={locked}
        onChange={(followRedirects) => http({ followRedirects })}
      />
      <Flag
        label={t("Convert to JSON")}
        checked={of.asJson}
        disabled={locked}
        onChange={(asJson) => http({ asJson })}
      />
      <Flag
        label={t("Enable trapping")}
        checked={of.allowTraps}
        disabled={discovered}
        onChange={(allowTraps) => http({ allowTraps })}
      />
      {of.allowTraps ? (
        <CheckedInput
          label={t("Allowed senders")}
          value={fields.trapperHosts}
          onChange={(trapperHosts) => set({ trapperHosts })}
          check={() => OK}
          placeholder={t("anyone; or addresses, networks, names")}
          disabled={discovered}
        />
      ) : null}
    </Section>
  );
}

const KERBEROS = "3";
const LOGINS = [
  { value: NO_AUTH, label: t("None") },
  { value: "1", label: t("Basic") },
  { value: "4", label: t("Digest") },
  { value: "2", label: "NTLM" },
  { value: KERBEROS, label: t("Kerberos") },
];

function AccessSection({ fields, http, locked }: PartProps) {
  const of = fields.http;
  const hasUser = of.auth !== NO_AUTH && of.auth !== KERBEROS;
  const text = (name: keyof HttpFields & ("user" | "certFile" | "keyFile"), label: string) => (
    <TextInput
      label={label}
      classNames={{ input: "mono" }}
      value={of[name]}
      disabled={locked}
      autoComplete="off"
      onChange={(event) => http({ [name]: event.currentTarget.value })}
    />
  );
  const secret = (name: keyof HttpFields & ("password" | "keyPassword"), label: string) => (
    <PasswordInput
      label={label}
      value={of[name]}
      disabled={locked}
      autoComplete="new-password"
      onChange={(event) => http({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Section title={t("Login and TLS")}>
      <Row>
        <Select
          label={t("Authentication")}
          data={LOGINS}
          value={of.auth}
          disabled={locked}
          onChange={(auth) => http({ auth: auth ?? NO_AUTH })}
        />
        {hasUser ? text("user", t("User name")) : null}
        {hasUser ? secret("password", t("Password")) : null}
      </Row>
      {of.auth === KERBEROS ? (
        <p className="dim">
          {t("The server uses its own Kerberos ticket. No user name is needed here.")}
        </p>
      ) : null}
      <Flag
        label={t("Verify the server's certificate")}
        checked={of.verifyPeer}
        disabled={locked}
        onChange={(verifyPeer) => http({ verifyPeer })}
      />
      <Flag
        label={t("Verify the server's name")}
        checked={of.verifyHost}
        disabled={locked}
        onChange={(verifyHost) => http({ verifyHost })}
      />
      <Row>
        {text("certFile", t("SSL certificate file"))}
        {text("keyFile", t("SSL key file"))}
        {secret("keyPassword", t("SSL key password"))}
      </Row>
      <p className="dim">
        {t(
          "Files in the folders set by outgoing.ssl_certs and outgoing.ssl_keys in the server settings.",
        )}
      </p>
    </Section>
  );
}

/** Missing fields are not marked before an attempt to save. */
function shown(check: Check, attempted: boolean): Check {
  return attempted ? check : OK;
}

interface FlagProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Flag({ label, checked, disabled, onChange }: FlagProps) {
  return (
    <Switch
      label={label}
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

interface PairsProps {
  readonly label: string;
  readonly what: string;
  readonly pairs: readonly Keyed<Pair>[];
  readonly check: Check;
  readonly disabled: boolean;
  readonly onChange: (pairs: readonly Keyed<Pair>[]) => void;
}

function Pairs({ label, ...editor }: PairsProps) {
  return (
    <Input.Wrapper label={label} labelElement="div">
      <PairEditor {...editor} />
    </Input.Wrapper>
  );
}
