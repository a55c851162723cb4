// Connectors: where values and events are sent as they happen.

import type { Connector } from "@/api/connectors";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, statusColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { ConnectorForm } from "./connector-form";
import { EVENTS } from "./draft";
import { CONNECTORS, useConnector, useConnectors } from "./queries";

const PATH = "/connectors/$connectorid";

export function ConnectorsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Connectors")}
      note={(rows) => plural(rows.length, "1 connector", "{n} connectors")}
      calls={CONNECTORS}
      query={useConnectors()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      isDimmed={(it) => !isEnabled(it)}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names, URLs") }}
      none={t("No data is sent to other systems yet.")}
    />
  );
}

const idOf = ({ connectorid }: Connector) => connectorid;
const isEnabled = ({ status }: Connector) => status === "1";

function select(all: readonly Connector[], finds: Matcher): readonly Connector[] {
  return all.filter(({ name, url }) => finds(() => [name, url]));
}

const COLUMNS: readonly DataColumn<Connector>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
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
  statusColumn(isEnabled),
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
