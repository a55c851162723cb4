import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { keys } from "@/api/query-keys";
import { fetchValueMapsOf, type Mapping, type WholeValueMap } from "@/api/value-maps";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { ObjectList } from "@/widgets/objects/object-list";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { mappingText } from "./mappings";

export function ValueMapsPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const query = useQuery({
    queryKey: keys.valueMapList(id),
    queryFn: ({ signal }) => fetchValueMapsOf(id, signal),
  });
  const columns = useMemo(() => columnsOf({ kind, id }), [kind, id]);
  return (
    <ObjectList
      title={t("Value maps")}
      note={(rows) => plural(rows.length, "1 value map", "{n} value maps")}
      calls={{ object: "valuemap", words: { create: t("New value map") } }}
      query={query}
      select={select}
      columns={columns}
      rowKey={({ valuemapid }) => valuemapid}
      onOpen={({ valuemapid }) => onOpen(valuemapid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search names and values") }}
      none={t("No value maps here")}
      first={t("Value maps show names for values: “up” for 1.")}
    />
  );
}

function select(all: readonly WholeValueMap[], finds: Matcher): readonly WholeValueMap[] {
  return all.filter(({ name, mappings }) => finds(() => [name, namesOf(mappings)]));
}

const namesOf = (mappings: readonly Mapping[]) => mappings.map(mappingText).join(", ");

const columnsOf = (owner: Owner): readonly DataColumn<WholeValueMap>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.name,
    cell: (it) => <PartLink owner={owner} part={`valuemaps/${it.valuemapid}`} name={it.name} />,
  },
  {
    id: "mappings",
    title: t("Values"),
    width: "minmax(200px, 3fr)",
    cell: (it) => (
      <span className="ellipsis dim" title={namesOf(it.mappings)}>
        {namesOf(it.mappings)}
      </span>
    ),
  },
];
