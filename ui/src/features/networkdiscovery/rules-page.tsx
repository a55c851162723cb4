// Rules of network discovery: where they look, for what, and whether they are enabled.

import { Link } from "@tanstack/react-router";
import type { NetworkRule } from "@/api/network-discovery";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { checkName } from "@/widgets/network-checks";
import { enabledColumn, nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { PickedMenu } from "@/widgets/picked-menu";
import { NETWORK_RULES, useNetworkRule, useNetworkRules, usePickedNetworkRules } from "./queries";
import { NetworkRuleForm } from "./rule-form";

const PATH = "/network-discovery/$druleid";

export function NetworkRulesPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Network discovery")}
      note={(rows) => plural(rows.length, "1 rule", "{n} rules")}
      calls={NETWORK_RULES}
      query={useNetworkRules()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      picks="drule.update"
      actions={({ picked, clear }) => <PickedRules picked={[...picked]} onDone={clear} />}
      isDimmed={({ status }) => status === "1"}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names and addresses") }}
      none={t("There is no network discovery rule yet.")}
      first={t("A rule scans address ranges and shows the devices found there.")}
    />
  );
}

const idOf = ({ druleid }: NetworkRule) => druleid;

function select(all: readonly NetworkRule[], finds: Matcher): readonly NetworkRule[] {
  return all.filter(({ name, iprange }) => finds(() => [name, iprange]));
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
  nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(150px, 1fr)" }),
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
  enabledColumn(NETWORK_RULES, idOf, (it) => it),
];

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
