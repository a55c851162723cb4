import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { fetchValueMapsOf, type Mapping, type WholeValueMap } from "@/api/value-maps";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { PartLink } from "@/widgets/part-link";
import { mappingText } from "./mappings";

export interface ValueMapsPageProps {
  readonly owner: Owner;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onOpen: (valuemapid: Id | "new") => void;
}

export function ValueMapsPage({ owner, text, onText, onOpen }: ValueMapsPageProps) {
  const { kind, id } = owner;
  const query = useQuery({
    queryKey: keys.valueMapList(id),
    queryFn: ({ signal }) => fetchValueMapsOf(id, signal),
  });
  const columns = useMemo(() => columnsOf({ kind, id }), [kind, id]);
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter((it) => matches(() => [it.name, namesOf(it.mappings)]));
  }, [query.data, text]);
  return (
    <Page
      title={t("Value maps")}
      note={plural(rows.length, "1 value map", "{n} value maps")}
      actions={
        <NewButton call="valuemap.create" onClick={() => onOpen("new")}>
          {t("New value map")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names and values")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Value maps")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.valuemapid}
            onOpen={(it) => onOpen(it.valuemapid)}
            empty={
              <EmptyState title={t("No value maps here")}>
                {t("Value maps show names for values: “up” for 1.")}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
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
