// Which program this is, and what it is made of: every package with its version and licence.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { fetchLicences, type Licensed } from "@/api/licences";
import { useOverview } from "@/api/overview-live";
import { keys } from "@/api/query-keys";
import { plural, t } from "@/lib/i18n";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";

export function AboutPage() {
  const overview = useOverview();
  const query = useQuery({
    queryKey: keys.licences,
    queryFn: ({ signal }) => fetchLicences(signal),
    // they change with the program
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [text, setText] = useState("");
  const rows = useMemo(() => selected(query.data ?? [], text), [query.data, text]);
  return (
    <Page
      title={t("About Saker")}
      note={
        overview.data === undefined
          ? undefined
          : t("version {version}, under the Apache License 2.0", {
              version: overview.data.system.version,
            })
      }
      actions={
        <>
          <Link to="/docs">{t("User guide")}</Link>
          <Link to="/docs/api">{t("API reference")}</Link>
        </>
      }
      filters={
        <>
          <SearchBox
            value={text}
            onChange={setText}
            placeholder={t("Search packages and licenses")}
            width={280}
          />
          <span className="dim">{plural(rows.length, "1 package", "{n} packages")}</span>
        </>
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Packages and their licenses")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => `${it.from} ${it.name} ${it.version}`}
            initialSort={{ by: "name", descending: false }}
            empty={<EmptyState title={t("No package matches.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function selected(all: readonly Licensed[], text: string): readonly Licensed[] {
  const matches = wordMatcher(text);
  return all.filter((it) => matches(() => [it.name, it.licence]));
}

const FROM = { crate: t("Server"), npm: t("Pages") } as const;

const COLUMNS: readonly DataColumn<Licensed>[] = [
  {
    id: "name",
    title: t("Package"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.name,
    cell: (it) => (
      <a className="ellipsis" href={pageOf(it)} target="_blank" rel="noreferrer">
        {it.name}
      </a>
    ),
  },
  {
    id: "version",
    title: t("Version"),
    width: "130px",
    sortValue: (it) => it.version,
    cell: (it) => it.version,
  },
  {
    id: "from",
    title: t("Part"),
    width: "90px",
    sortValue: (it) => it.from,
    cell: (it) => FROM[it.from],
  },
  {
    id: "licence",
    title: t("License"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.licence,
    cell: (it) => <span className="ellipsis">{it.licence}</span>,
  },
];

function pageOf({ from, name, version }: Licensed): string {
  return from === "npm"
    ? `https://www.npmjs.com/package/${name}/v/${version}`
    : `https://crates.io/crates/${name}/${version}`;
}
