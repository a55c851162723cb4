// Rules of global correlation: of which events they are, what they close, and whether they are enabled.

import { Switch } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Correlation } from "@/api/correlations";
import { plural, t } from "@/lib/i18n";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { CorrelationForm } from "./correlation-form";
import { conditionText, fieldsOf, type GroupName, operationsText } from "./draft";
import {
  CORRELATIONS,
  useCorrelation,
  useCorrelationStatus,
  useCorrelations,
  useGroupName,
} from "./queries";

export interface CorrelationsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function CorrelationsPage({ text, onText }: CorrelationsPageProps) {
  const query = useCorrelations();
  const navigate = useNavigate();
  const groupName = useGroupName();
  const columns = columnsOf(groupName);
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter(({ name }) => matches(() => [name]));
  }, [query.data, text]);
  const open = (correlationid: string) =>
    void navigate({ to: "/correlation/$correlationid", params: { correlationid } });
  return (
    <Page
      title={t("Event correlation")}
      note={plural(rows.length, "1 rule", "{n} rules")}
      actions={
        <NewButton call="correlation.create" onClick={() => open("new")}>
          {t("New correlation rule")}
        </NewButton>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Event correlation")}
            rows={rows}
            columns={columns}
            rowKey={({ correlationid }) => correlationid}
            onOpen={({ correlationid }) => open(correlationid)}
            isDimmed={({ status }) => status === "1"}
            empty={
              <EmptyState
                title={
                  all.length === 0 ? t("There is no correlation rule yet.") : t("No rule matches.")
                }
              >
                {all.length === 0
                  ? t(
                      "A rule closes problems by the tags of other problems, also those of other triggers.",
                    )
                  : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function columnsOf(groupName: GroupName): readonly DataColumn<Correlation>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(160px, 1fr)",
      sortValue: ({ name }) => name,
      cell: ({ correlationid, name }) => (
        <Link
          className="ellipsis"
          to="/correlation/$correlationid"
          params={{ correlationid }}
          data-opens-row
        >
          {name}
        </Link>
      ),
    },
    {
      id: "conditions",
      title: t("Conditions"),
      width: "minmax(200px, 2fr)",
      wideOnly: true,
      cell: (rule) => {
        const conditions = fieldsOf(rule)
          .conditions.map((it) => conditionText(it, groupName))
          .join("; ");
        return (
          <span className="ellipsis" title={conditions}>
            {conditions}
          </span>
        );
      },
    },
    {
      id: "operations",
      title: t("Operations"),
      width: "minmax(140px, 1fr)",
      cell: (rule) => <span className="ellipsis">{operationsText(rule)}</span>,
    },
    {
      id: "status",
      title: t("Enabled"),
      width: "90px",
      sortValue: ({ status }) => status,
      cell: (rule) => <StatusSwitch rule={rule} />,
    },
  ];
}

function StatusSwitch({ rule }: { readonly rule: Correlation }) {
  const status = useCorrelationStatus();
  return (
    <Switch
      size="xs"
      aria-label={t("{name} enabled", { name: rule.name })}
      checked={rule.status === "0"}
      disabled={status.isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) =>
        status.mutate({ id: rule.correlationid, isEnabled: event.currentTarget.checked })
      }
    />
  );
}

export interface CorrelationPageProps {
  readonly correlationid: string;
  readonly onDone: () => void;
}

export function CorrelationPage({ correlationid, onDone }: CorrelationPageProps) {
  return (
    <ObjectPage id={correlationid} words={CORRELATIONS.words} query={useCorrelation(correlationid)}>
      {(correlation) => (
        <CorrelationForm key={correlationid} correlation={correlation} onDone={onDone} />
      )}
    </ObjectPage>
  );
}
