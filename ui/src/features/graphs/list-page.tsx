// Graphs of a host or template, to configure them.

import { useMemo, useState } from "react";
import type { StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { useReadOnlyIds } from "@/widgets/editable";
import { kindName } from "@/widgets/graph/kinds";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { useDeleteGraphs, useGraphsOf } from "./queries";

export interface GraphListPageProps {
  readonly owner: Owner;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onOpen: (graphid: Id | "new") => void;
}

export function GraphListPage({ owner, text, onText, onOpen }: GraphListPageProps) {
  const query = useGraphsOf(owner.id);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const isLocked = useLock("graph.update") !== undefined;
  const readOnly = useReadOnlyIds(
    "graph",
    useMemo(() => [...picked], [picked]),
  );
  const remove = useDeleteGraphs(() => setPicked(new Set()));
  const { kind, id } = owner;
  const columns = useMemo(() => columnsOf({ kind, id }), [kind, id]);
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter((graph) => matches(() => [graph.name]));
  }, [query.data, text]);
  return (
    <Page
      title={t("Configured graphs")}
      note={plural(rows.length, "1 graph", "{n} graphs")}
      actions={
        <>
          {picked.size === 0 ? null : (
            <PickedMenu
              object="graph"
              readOnly={readOnly}
              label={plural(picked.size, "1 graph", "{n} graphs")}
              onDelete={() => remove.mutate([...picked])}
              deleting={remove.isPending}
              deleteTitle={plural(picked.size, "Delete 1 graph?", "Delete {n} graphs?")}
              deleteNote={t("They are also deleted from hosts that inherit them. Values are kept.")}
            />
          )}
          <NewButton call="graph.create" onClick={() => onOpen("new")}>
            {t("New graph")}
          </NewButton>
        </>
      }
      filters={<SearchBox value={text} onChange={onText} placeholder={t("Search graphs")} />}
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Configured graphs")}
            rows={rows}
            columns={columns}
            rowKey={(graph) => graph.graphid}
            picking={isLocked ? undefined : { picked, onChange: setPicked }}
            onOpen={(graph) => onOpen(graph.graphid)}
            empty={
              <EmptyState title={t("No graphs here")}>
                {t("A graph shows several items in one picture.")}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

const DISCOVERED = "4";

function originOf({ flags, templateid }: StoredGraph): string {
  if (flags === DISCOVERED) return t("discovered");
  return templateid === "0" ? t("own") : t("template");
}

const columnsOf = (owner: Owner): readonly DataColumn<StoredGraph>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(180px, 2fr)",
    sortValue: (graph) => graph.name,
    cell: (graph) => (
      <PartLink owner={owner} part={`graphs/list/${graph.graphid}`} name={graph.name} />
    ),
  },
  {
    id: "kind",
    title: t("Type"),
    width: "100px",
    sortValue: (graph) => graph.kind,
    cell: (graph) => kindName(graph.kind),
  },
  {
    id: "items",
    title: t("Items"),
    width: "70px",
    align: "right",
    sortValue: (graph) => graph.gitems.length,
    cell: (graph) => graph.gitems.length,
  },
  {
    id: "size",
    wideOnly: true,
    title: t("Size"),
    width: "100px",
    cell: ({ width, height }) => `${width} × ${height}`,
  },
  {
    id: "origin",
    wideOnly: true,
    title: t("Origin"),
    width: "100px",
    sortValue: originOf,
    cell: (graph) => <span className="dim">{originOf(graph)}</span>,
  },
];
