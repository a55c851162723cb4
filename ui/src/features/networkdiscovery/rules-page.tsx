// Rules of network discovery: where they look, for what, and whether they are enabled.

import { Switch } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { NetworkRule } from "@/api/network-discovery";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { checkName } from "@/widgets/network-checks";
import { ObjectPage } from "@/widgets/objects/object-page";
import { PickedMenu } from "@/widgets/picked-menu";
import {
  NETWORK_RULES,
  useNetworkRule,
  useNetworkRuleStatus,
  useNetworkRules,
  usePickedNetworkRules,
} from "./queries";
import { NetworkRuleForm } from "./rule-form";

export interface NetworkRulesPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function NetworkRulesPage({ text, onText }: NetworkRulesPageProps) {
  const query = useNetworkRules();
  const navigate = useNavigate();
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const isLocked = useLock("drule.update") !== undefined;
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter(({ name, iprange }) => matches(() => [name, iprange]));
  }, [query.data, text]);
  const open = (druleid: string) =>
    void navigate({ to: "/network-discovery/$druleid", params: { druleid } });
  return (
    <Page
      title={t("Network discovery")}
      note={plural(rows.length, "1 rule", "{n} rules")}
      actions={
        <>
          <PickedRules picked={[...picked]} onDone={() => setPicked(new Set())} />
          <NewButton call="drule.create" onClick={() => open("new")}>
            {t("New network discovery rule")}
          </NewButton>
        </>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names and addresses")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Network discovery")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ druleid }) => druleid}
            picking={isLocked ? undefined : { picked, onChange: setPicked }}
            onOpen={({ druleid }) => open(druleid)}
            isDimmed={({ status }) => status === "1"}
            empty={
              <EmptyState
                title={
                  all.length === 0
                    ? t("There is no network discovery rule yet.")
                    : t("No rule matches.")
                }
              >
                {all.length === 0
                  ? t("A rule scans address ranges and shows the devices found there.")
                  : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

interface PickedRulesProps {
  readonly picked: readonly Id[];
  readonly onDone: () => void;
}

function PickedRules({ picked, onDone }: PickedRulesProps) {
  const { remove, setStatus } = usePickedNetworkRules(onDone);
  if (picked.length === 0) return null;
  return (
    <PickedMenu
      object="drule"
      label={plural(picked.length, "1 rule", "{n} rules")}
      onStatus={(status) => setStatus.mutate({ ids: picked, status })}
      onDelete={() => remove.mutate(picked)}
      deleting={remove.isPending}
      deleteTitle={plural(picked.length, "Delete 1 rule?", "Delete {n} rules?")}
      deleteNote={t("Devices that they discovered are deleted. Hosts created from them are kept.")}
    />
  );
}

const COLUMNS: readonly DataColumn<NetworkRule>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 1fr)",
    sortValue: ({ name }) => name,
    cell: ({ druleid, name }) => (
      <Link
        className="ellipsis"
        to="/network-discovery/$druleid"
        params={{ druleid }}
        data-opens-row
      >
        {name}
      </Link>
    ),
  },
  {
    id: "iprange",
    title: t("IP range"),
    width: "minmax(160px, 1.2fr)",
    wideOnly: true,
    sortValue: ({ iprange }) => iprange,
    cell: ({ iprange }) => (
      <span className="ellipsis mono" title={iprange}>
        {iprange}
      </span>
    ),
  },
  {
    id: "delay",
    title: t("Interval"),
    width: "90px",
    wideOnly: true,
    cell: ({ delay }) => delay,
  },
  {
    id: "checks",
    title: t("Checks"),
    width: "minmax(180px, 1.5fr)",
    wideOnly: true,
    cell: ({ dchecks }) => {
      const names = dchecks.map(checkName).join(", ");
      return (
        <span className="ellipsis" title={names}>
          {names}
        </span>
      );
    },
  },
  {
    id: "devices",
    title: t("Devices"),
    width: "80px",
    cell: ({ druleid }) => (
      <Link
        to="/discovered"
        search={{ rule: druleid }}
        onClick={(event) => event.stopPropagation()}
      >
        {t("show")}
      </Link>
    ),
  },
  {
    id: "error",
    title: t("Error"),
    width: "minmax(80px, 0.8fr)",
    wideOnly: true,
    cell: ({ error }) => (
      <span className="ellipsis bad" title={error}>
        {error}
      </span>
    ),
  },
  {
    id: "status",
    title: t("Enabled"),
    width: "90px",
    sortValue: ({ status }) => status,
    cell: (rule) => <StatusSwitch rule={rule} />,
  },
];

function StatusSwitch({ rule }: { readonly rule: NetworkRule }) {
  const status = useNetworkRuleStatus();
  return (
    <Switch
      size="xs"
      aria-label={t("{name} enabled", { name: rule.name })}
      checked={rule.status === "0"}
      disabled={status.isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) =>
        status.mutate({ id: rule.druleid, isEnabled: event.currentTarget.checked })
      }
    />
  );
}

export interface NetworkRulePageProps {
  readonly druleid: string;
  readonly onDone: () => void;
}

export function NetworkRulePage({ druleid, onDone }: NetworkRulePageProps) {
  return (
    <ObjectPage id={druleid} words={NETWORK_RULES.words} query={useNetworkRule(druleid)}>
      {(rule) => <NetworkRuleForm key={druleid} rule={rule} onDone={onDone} />}
    </ObjectPage>
  );
}
