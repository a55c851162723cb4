// Graphs of a host or template, to configure them.

import { useMemo } from "react";
import type { StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { useReadOnlyIds } from "@/widgets/editable";
import { kindName } from "@/widgets/graph/kinds";
import { ObjectList } from "@/widgets/objects/object-list";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { GRAPHS, useDeleteGraphs, useGraphsOf } from "./queries";

export function GraphListPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const columns = useMemo(() => columnsOf({ kind, id }), [kind, id]);
  return (
    <ObjectList
      title={t("Configured graphs")}
      note={(rows) => plural(rows.length, "1 graph", "{n} graphs")}
      calls={GRAPHS}
      query={useGraphsOf(id)}
      select={select}
      columns={columns}
      rowKey={({ graphid }) => graphid}
      picks="graph.update"
      actions={({ picked, clear }) => <PickedGraphs picked={picked} onDone={clear} />}
      onOpen={({ graphid }) => onOpen(graphid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search graphs") }}
      none={t("No graphs here")}
      first={t("A graph shows several items in one picture.")}
    />
  );
}

function select(all: readonly StoredGraph[], finds: Matcher): readonly StoredGraph[] {
  return all.filter(({ name }) => finds(() => [name]));
}

interface PickedGraphsProps {
  readonly picked: ReadonlySet<Id>;
  readonly onDone: () => void;
}

function PickedGraphs({ picked, onDone }: PickedGraphsProps) {
  const ids = useMemo(() => [...picked], [picked]);
  const readOnly = useReadOnlyIds("graph", ids);
  const remove = useDeleteGraphs(onDone);
  if (ids.length === 0) return null;
  return (
    <PickedMenu
      object="graph"
      readOnly={readOnly}
      label={plural(ids.length, "1 graph", "{n} graphs")}
      onDelete={() => remove.mutate(ids)}
      deleting={remove.isPending}
      deleteTitle={plural(ids.length, "Delete 1 graph?", "Delete {n} graphs?")}
      deleteNote={t("They are also deleted from hosts that inherit them. Values are kept.")}
    />
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
