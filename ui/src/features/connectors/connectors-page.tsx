// Connectors: where values and events are sent as they happen.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Connector } from "@/api/connectors";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { ConnectorForm } from "./connector-form";
import { EVENTS } from "./draft";
import { CONNECTORS, useConnector, useConnectors } from "./queries";

export interface ConnectorsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function ConnectorsPage({ text, onText }: ConnectorsPageProps) {
  const query = useConnectors();
  const navigate = useNavigate();
  const rows = useMemo(() => selectConnectors(query.data ?? [], text), [query.data, text]);
  return (
    <Page
      title={t("Connectors")}
      note={plural(rows.length, "1 connector", "{n} connectors")}
      actions={
        <NewButton
          call="connector.create"
          onClick={() =>
            void navigate({ to: "/connectors/$connectorid", params: { connectorid: "new" } })
          }
        >
          {t("New connector")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, URLs")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Connectors")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(connector) => connector.connectorid}
            onOpen={({ connectorid }) =>
              void navigate({ to: "/connectors/$connectorid", params: { connectorid } })
            }
            empty={
              <EmptyState
                title={
                  all.length === 0
                    ? t("No data is sent to other systems yet.")
                    : t("No connector matches.")
                }
              >
                {all.length === 0 ? (
                  <Link to="/connectors/$connectorid" params={{ connectorid: "new" }}>
                    {t("Create the first connector")}
                  </Link>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function selectConnectors(connectors: readonly Connector[], text: string): readonly Connector[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return connectors;
  return connectors.filter(({ name, url }) => {
    const content = `${name}\n${url}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
}

const COLUMNS: readonly DataColumn<Connector>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (connector) => connector.name,
    cell: ({ connectorid, name }) => (
      <Link
        className="ellipsis"
        to="/connectors/$connectorid"
        params={{ connectorid }}
        data-opens-row
      >
        {name}
      </Link>
    ),
  },
  {
    id: "data",
    title: t("Data type"),
    width: "120px",
    sortValue: (connector) => connector.data_type,
    cell: ({ data_type }) => (data_type === EVENTS ? t("Events") : t("Item values")),
  },
  {
    id: "url",
    title: t("URL"),
    width: "minmax(200px, 2fr)",
    sortValue: (connector) => connector.url,
    cell: ({ url }) => <span className="ellipsis mono">{url}</span>,
  },
  {
    id: "status",
    title: t("Status"),
    width: "100px",
    sortValue: (connector) => connector.status,
    cell: ({ status }) =>
      status === "1" ? t("Enabled") : <span className="dim">{t("Disabled")}</span>,
  },
];

export interface ConnectorPageProps {
  readonly connectorid: string;
  readonly onDone: () => void;
}

export function ConnectorPage({ connectorid, onDone }: ConnectorPageProps) {
  return (
    <ObjectPage
      id={connectorid}
      audited="connector"
      words={CONNECTORS.words}
      query={useConnector(connectorid)}
    >
      {(connector) => <ConnectorForm key={connectorid} connector={connector} onDone={onDone} />}
    </ObjectPage>
  );
}
