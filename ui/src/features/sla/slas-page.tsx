// Agreements, with the way to their reports.

import { Link } from "@tanstack/react-router";
import type { Sla } from "@/api/services";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { pairsOf, TagList } from "@/ui/tags";
import { nameColumn, statusColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { PERIODS } from "./draft";
import { SLAS, useSlas } from "./queries";

const PATH = "/sla/$slaid";

export function SlasPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("SLA")}
      note={(rows) => plural(rows.length, "1 SLA", "{n} SLA")}
      calls={SLAS}
      query={useSlas()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      isDimmed={(it) => !isEnabled(it)}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There is no SLA yet.")}
    />
  );
}

const idOf = ({ slaid }: Sla) => slaid;
const isEnabled = ({ status }: Sla) => status === "1";

function select(all: readonly Sla[], finds: Matcher): readonly Sla[] {
  return all.filter(({ name }) => finds(() => [name]));
}

const COLUMNS: readonly DataColumn<Sla>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
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
    cell: ({ service_tags }) => <TagList tags={pairsOf(service_tags)} />,
  },
  statusColumn(isEnabled),
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
