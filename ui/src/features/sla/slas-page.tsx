// Agreements, with the way to their reports.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Sla } from "@/api/services";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { TagList } from "@/ui/tags";
import { PERIODS } from "./draft";
import { useSlas } from "./queries";

export interface SlasPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function SlasPage({ text, onText }: SlasPageProps) {
  const query = useSlas();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter(({ name }) =>
      words.every((word) => name.toLowerCase().includes(word)),
    );
  }, [query.data, text]);
  const open = (slaid: string) => void navigate({ to: "/sla/$slaid", params: { slaid } });
  return (
    <Page
      title={t("SLA")}
      note={plural(rows.length, "1 SLA", "{n} SLA")}
      actions={
        <NewButton call="sla.create" onClick={() => open("new")}>
          {t("New SLA")}
        </NewButton>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("SLA")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ slaid }) => slaid}
            onOpen={({ slaid }) => open(slaid)}
            isDimmed={({ status }) => status !== "1"}
            empty={
              <EmptyState
                title={all.length === 0 ? t("There is no SLA yet.") : t("No SLA matches.")}
              />
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

const COLUMNS: readonly DataColumn<Sla>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(140px, 2fr)",
    sortValue: ({ name }) => name,
    cell: ({ slaid, name }) => (
      <Link className="ellipsis" to="/sla/$slaid" params={{ slaid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "slo",
    title: t("SLO"),
    width: "90px",
    align: "right",
    sortValue: ({ slo }) => Number(slo),
    cell: ({ slo }) => `${slo} %`,
  },
  {
    id: "period",
    title: t("Reporting period"),
    width: "130px",
    wideOnly: true,
    sortValue: ({ period }) => Number(period),
    cell: ({ period }) => PERIODS[Number(period)] ?? "",
  },
  {
    id: "tags",
    title: t("Service tags"),
    width: "minmax(140px, 2fr)",
    wideOnly: true,
    cell: ({ service_tags }) => (
      <TagList tags={service_tags.map(({ tag, value }) => [tag, value])} />
    ),
  },
  {
    id: "status",
    title: t("Status"),
    width: "90px",
    sortValue: ({ status }) => status,
    cell: ({ status }) =>
      status === "1" ? (
        <span className="ok">{t("Enabled")}</span>
      ) : (
        <span className="dim">{t("Disabled")}</span>
      ),
  },
  {
    id: "report",
    title: t("Report"),
    width: "80px",
    cell: ({ slaid, name }) => (
      <Link to="/sla/$slaid/report" params={{ slaid }} aria-label={t("Report of {name}", { name })}>
        {t("Report")}
      </Link>
    ),
  },
];
