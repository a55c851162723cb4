// Web monitoring: the scenarios of all hosts, those that fail first.

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { plural, t } from "@/lib/i18n";
import { tagTexts, wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import { PartLink } from "@/widgets/part-link";
import { useMonitoredScenarios, type WebRow } from "./queries";
import { RESULT_COLUMNS } from "./scenarios-page";

export interface WebPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function WebPage({ text, onText }: WebPageProps) {
  const query = useMonitoredScenarios();
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter(({ scenario }) =>
      matches(() => [scenario.name, hostOf(scenario).name, ...tagTexts(scenario.tags)]),
    );
  }, [query.data, text]);
  return (
    <Page
      title={t("Web monitoring")}
      note={plural(rows.length, "1 scenario", "{n} scenarios")}
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, hosts, tags")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Web scenarios")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ scenario }) => scenario.httptestid}
            initialSort={{ by: "result", descending: false }}
            empty={
              <EmptyState title={t("No web scenarios")}>
                {t("Create them on a host or template, under Web.")}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
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
