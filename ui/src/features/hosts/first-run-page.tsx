// From an empty server to the first graph: a machine with an agent, or a device with SNMP, tried before it is
// monitored; or templates that one has.

import { Button, Code, CopyButton, SegmentedControl, TextInput } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { changed } from "@/api/changes";
import { createHost } from "@/api/hosts";
import { errorText } from "@/api/http";
import type { LatestRow } from "@/api/latest-columns";
import { fetchLatest } from "@/api/native";
import { keys } from "@/api/query-keys";
import { fetchTemplateIndex } from "@/api/templates";
import { type GivenValue, tryInterface } from "@/api/testing";
import type { Id } from "@/api/types";
import { sameDraft } from "@/lib/draft";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { formatValue } from "@/lib/units";
import { Row } from "@/ui/form";
import { Page, Panel } from "@/ui/page";
import { LoadingState } from "@/ui/states";
import { UnsavedGuard } from "@/ui/unsaved";
import { EditorOrWhy } from "@/widgets/editable";
import { SnmpEditor } from "@/widgets/interfaces/interface-editor";
import { GroupPicker, TemplatePicker } from "@/widgets/pickers";
import { TrialResult } from "./connection-test";
import { NO_ENCRYPTION } from "./encryption-draft";
import {
  addressOf,
  agentCommands,
  type FirstFields,
  type FirstKind,
  firstError,
  firstFields,
  firstHost,
  fittingTemplate,
  withAddress,
} from "./first-host";
import classes from "./hosts.module.css";
import { toTrial } from "./interface-trial";

export type FirstWay = FirstKind | "templates";

const VALUES_MS = 2_000;
const VALUES_SHOWN = 8;

export interface FirstRunPageProps {
  readonly way: FirstWay;
  readonly onWay: (way: FirstWay) => void;
}

export function FirstRunPage({ way, onWay }: FirstRunPageProps) {
  return (
    <Page title={t("Start here")} note={t("first graph in three minutes")} scroll>
      <div className={classes["guide"]}>
        <SegmentedControl
          aria-label={t("Starting point")}
          value={way}
          onChange={(it) => onWay(it as FirstWay)}
          data={[
            { value: "agent", label: t("A machine with an agent") },
            { value: "snmp", label: t("A device with SNMP") },
            { value: "templates", label: t("Existing templates") },
          ]}
        />
        <EditorOrWhy
          call={way === "templates" ? "configuration.importcompare" : "host.create"}
          title={undefined}
        >
          {way === "templates" ? <Templates /> : <FirstHost key={way} kind={way} />}
        </EditorOrWhy>
      </div>
    </Page>
  );
}

function Templates() {
  return (
    <Panel title={t("Import templates")} label={t("Import templates")}>
      <div className={classes["guideStep"]}>
        <p>
          {t(
            "Zabbix export files can be imported unchanged: YAML, JSON or XML. Templates define the items, triggers and graphs of a host.",
          )}
        </p>
        <div>
          <Link to="/templates">{t("Templates: Import")}</Link>
        </div>
      </div>
    </Panel>
  );
}

function FirstHost({ kind }: { readonly kind: FirstKind }) {
  const [fields, setFields] = useState(() => firstFields(kind));
  const [attempted, setAttempted] = useState(false);
  const [startedid, setStartedid] = useState<Id>();
  const [fitting, setFitting] = useState(true);
  const index = useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
  });
  const best = fittingTemplate(kind, index.data ?? []);
  const templateids = fitting && best !== undefined ? [best] : fields.templateids;
  const set = (change: Partial<FirstFields>) => setFields((before) => ({ ...before, ...change }));
  const { tried, start } = useFirstHost(setStartedid);
  const subject = { hostid: undefined, macros: [], encryption: NO_ENCRYPTION };
  const asked = toTrial(subject, fields.at);
  const problem = firstError(fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (problem === undefined) tried.mutate(asked);
  };
  if (startedid !== undefined) return <FirstValues hostid={startedid} name={fields.name} />;
  return (
    <form className={classes["guide"]} onSubmit={submit} noValidate aria-label={t("First host")}>
      <UnsavedGuard draft={fields} />
      <Panel title={t("1. Device and address")} label={t("1. Device and address")}>
        <div className={classes["guideStep"]}>
          <Row>
            <TextInput
              label={t("Host name")}
              value={fields.name}
              withAsterisk
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              label={t("IP address or DNS name")}
              value={addressOf(fields.at)}
              withAsterisk
              onChange={(event) => set({ at: withAddress(fields.at, event.currentTarget.value) })}
            />
            <TextInput
              label={t("Port")}
              value={fields.at.port}
              onChange={(event) => set({ at: { ...fields.at, port: event.currentTarget.value } })}
            />
          </Row>
          {kind === "snmp" ? (
            <SnmpEditor
              snmp={fields.at.snmp}
              onChange={(change) =>
                set({ at: { ...fields.at, snmp: { ...fields.at.snmp, ...change } } })
              }
            />
          ) : null}
          <Row>
            <GroupPicker
              kind="hostgroup"
              label={t("Host groups")}
              value={fields.groupids}
              onChange={(groupids) => set({ groupids })}
              canCreate
            />
            <TemplatePicker
              label={t("Templates")}
              value={templateids}
              onChange={(next) => {
                setFitting(false);
                set({ templateids: next });
              }}
            />
          </Row>
        </div>
      </Panel>
      {kind === "agent" ? <Commands name={fields.name} /> : null}
      <TryIt
        kind={kind}
        trial={sameDraft(tried.variables, asked) ? tried : IDLE}
        isAgain={!tried.isIdle}
        busy={tried.isPending}
        problem={problem}
        showProblem={attempted}
        start={start}
        onStart={() => start.mutate(firstHost(fields, templateids))}
      />
    </form>
  );
}

interface Trial {
  readonly data: GivenValue | undefined;
  readonly error: Error | null;
}

const IDLE: Trial = { data: undefined, error: null };

interface TryItProps {
  readonly kind: FirstKind;
  /** of what is typed now */
  readonly trial: Trial;
  /** something was tried before */
  readonly isAgain: boolean;
  readonly busy: boolean;
  readonly problem: string | undefined;
  readonly showProblem: boolean;
  readonly start: { readonly isPending: boolean; readonly error: Error | null };
  readonly onStart: () => void;
}

function TryIt({ kind, trial, isAgain, busy, problem, showProblem, start, onStart }: TryItProps) {
  const { data, error } = trial;
  const answers = data?.isError === false;
  const isTried = data !== undefined || error !== null;
  return (
    <Panel title={kind === "agent" ? t("3. Try it") : t("2. Try it")} label={t("Try it")}>
      <div className={classes["guideStep"]}>
        <p className="dim">
          {t(
            "The server sends one request to the device. Nothing is saved or monitored until you start monitoring.",
          )}
        </p>
        <div className={classes["toolbar"]}>
          <Button type="submit" variant={answers ? "default" : "filled"} loading={busy}>
            {isAgain ? t("Try again") : t("Try")}
          </Button>
          <Button
            variant={answers ? "filled" : "default"}
            disabled={!isTried || problem !== undefined}
            loading={start.isPending}
            onClick={onStart}
          >
            {t("Start monitoring")}
          </Button>
          {showProblem && problem !== undefined ? (
            <span className="bad" role="alert">
              {problem}
            </span>
          ) : null}
        </div>
        <TrialResult result={data} error={error} />
        {start.error === null ? null : (
          <span className="bad" role="alert">
            {errorText(start.error)}
          </span>
        )}
      </div>
    </Panel>
  );
}

function valueText({ live, valueType, units }: LatestRow): string {
  if (live.text !== "") return live.text;
  return isNumeric(valueType) ? formatValue(live.value, units) : live.value;
}

/** Asks at the interface; makes the host, monitored. */
function useFirstHost(onStarted: (hostid: Id) => void) {
  const client = useQueryClient();
  const tried = useMutation({ mutationFn: tryInterface });
  const start = useMutation({
    mutationFn: createHost,
    onSuccess: (hostid) => {
      void changed(client, "hostTemplates");
      onStarted(hostid);
    },
  });
  return { tried, start };
}

function Commands({ name }: { readonly name: string }) {
  const all = agentCommands(window.location.hostname, name);
  const [id, setId] = useState(all[0]?.id ?? "");
  const lines = all.find((it) => it.id === id)?.lines ?? "";
  return (
    <Panel title={t("2. On the machine")} label={t("2. On the machine")}>
      <div className={classes["guideStep"]}>
        <SegmentedControl
          aria-label={t("Agent")}
          value={id}
          onChange={setId}
          data={all.map((it) => ({ value: it.id, label: it.name }))}
        />
        <div className={classes["commands"]}>
          <Code block>{lines}</Code>
          <CopyButton value={lines}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                size="compact-xs"
                leftSection={copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
                onClick={copy}
              >
                {copied ? t("Copied") : t("Copy")}
              </Button>
            )}
          </CopyButton>
        </div>
        <p className="dim">
          {t(
            "The commands contain the address of this page. If the server connects to the agent from another address, use that address.",
          )}
        </p>
      </div>
    </Panel>
  );
}

/** The host's first values as they come. */
function FirstValues({ hostid, name }: { readonly hostid: Id; readonly name: string }) {
  const query = {
    hostids: [hostid],
    groupids: [],
    search: "",
    show: "values",
    limit: 200,
  } as const;
  const { data } = useQuery({
    queryKey: keys.latest(query),
    queryFn: ({ signal }) => fetchLatest(query, signal),
    refetchInterval: VALUES_MS,
  });
  const rows = data ?? [];
  return (
    <Panel
      title={t("{name} is monitored", { name })}
      label={t("First values")}
      actions={
        <Link to="/hosts/$hostid/graphs" params={{ hostid }}>
          {t("Graphs of {name}", { name })}
        </Link>
      }
    >
      <div className={classes["guideStep"]}>
        {rows.length === 0 ? (
          <>
            <LoadingState />
            <p className="dim">{t("The first values come within a minute.")}</p>
          </>
        ) : (
          <>
            <span className="ok">
              {plural(rows.length, "1 item has a value", "{n} items have values")}
            </span>
            <ul className={classes["firstValues"]} aria-label={t("First values")}>
              {rows.slice(0, VALUES_SHOWN).map((row) => (
                <li key={row.itemid}>
                  <span className="ellipsis">{row.name}</span>
                  <strong className="ellipsis">{valueText(row)}</strong>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Panel>
  );
}
