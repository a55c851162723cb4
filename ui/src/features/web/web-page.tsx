// Web monitoring: the scenarios of all hosts, those that fail first.

import { Link } from "@tanstack/react-router";
import { plural, t } from "@/lib/i18n";
import { type Matcher, tagTexts } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { pairsOf, TagList } from "@/ui/tags";
import { ObjectList } from "@/widgets/objects/object-list";
import { PartLink } from "@/widgets/part-link";
import { useMonitoredScenarios, type WebRow } from "./queries";
import { RESULT_COLUMNS } from "./scenarios-page";

export function WebPage(search: ListProps) {
  return (
    <ObjectList
      title={t("Web monitoring")}
      note={(rows) => plural(rows.length, "1 scenario", "{n} scenarios")}
      query={useMonitoredScenarios()}
      select={select}
      columns={COLUMNS}
      rowKey={({ scenario }) => scenario.httptestid}
      initialSort={{ by: "result", descending: false }}
      search={{ ...search, placeholder: t("Search names, hosts, tags") }}
      none={t("No web scenarios")}
      first={t("Create them on a host or template, under Web.")}
    />
  );
}

function select(all: readonly WebRow[], finds: Matcher): readonly WebRow[] {
  return all.filter(({ scenario }) =>
    finds(() => [scenario.name, hostOf(scenario).name, ...tagTexts(scenario.tags)]),
  );
}

function hostOf({ hostid, hosts }: WebRow["scenario"]) {
  return hosts[0] ?? { hostid, name: "" };
}

const COLUMNS: readonly DataColumn<WebRow>[] = [
  {
    id: "host",
    title: t("Host"),
    width: "minmax(100px, 0.8fr)",
    sortValue: ({ scenario }) => hostOf(scenario).name,
    cell: ({ scenario }) => {
      const { hostid, name } = hostOf(scenario);
      return (
        <Link className="ellipsis" to="/hosts/$hostid" params={{ hostid }}>
          {name}
        </Link>
      );
    },
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(120px, 1fr)",
    sortValue: ({ scenario }) => scenario.name,
    cell: ({ scenario }) => (
      <PartLink
        owner={{ kind: "host", id: scenario.hostid }}
        part={`web/${scenario.httptestid}`}
        name={scenario.name}
      />
    ),
  },
  {
    id: "steps",
    wideOnly: true,
    title: t("Steps"),
    width: "60px",
    sortValue: ({ scenario }) => scenario.steps.length,
    cell: ({ scenario }) => scenario.steps.length,
  },
  ...RESULT_COLUMNS,
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(100px, 0.7fr)",
    cell: ({ scenario }) => <TagList tags={pairsOf(scenario.tags)} max={3} />,
  },
];
