// Who changed what, newest first; a record opens to the values before and after.

import { Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AuditFilter, type AuditRecord, fetchAudit } from "@/api/audit";
import { keys } from "@/api/query-keys";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { AuditDialog } from "@/widgets/audit/audit-dialog";
import { changesOf, summary } from "@/widgets/audit/details";
import {
  actionOptions,
  auditActionName,
  auditResourceName,
  resourceOptions,
} from "@/widgets/audit/names";
import { nameOptions, useUserNames } from "@/widgets/names";

/** How far back one looks, in seconds. */
const PERIODS: readonly (readonly [within: number, name: string])[] = [
  [3_600, t("The last hour")],
  [86_400, t("The last day")],
  [7 * 86_400, t("The last week")],
  [30 * 86_400, t("The last 30 days")],
];

/** As many as a person looks through. */
const LIMIT = 1_000;

export interface AuditPageProps {
  readonly filter: AuditFilter;
  readonly onFilter: (filter: AuditFilter) => void;
}

export function AuditPage({ filter, onFilter }: AuditPageProps) {
  const [opened, setOpened] = useState<AuditRecord>();
  const users = useUserNames();
  const query = useQuery({
    queryKey: keys.audit(filter),
    queryFn: ({ signal }) => fetchAudit(filter, LIMIT, signal),
    placeholderData: keepPreviousData,
  });
  const set = (part: Partial<AuditFilter>) => onFilter({ ...filter, ...part });
  const picked = filter.userid === undefined ? [] : [filter.userid];
  return (
    <Page
      title={t("Audit log")}
      note={t("the newest {n}", { n: query.data?.length ?? 0 })}
      filters={
        <>
          <SearchBox
            value={filter.name}
            onChange={(name) => set({ name })}
            placeholder={t("Search names of changed objects")}
            width={280}
          />
          <Select
            aria-label={t("Period")}
            placeholder={t("Any time")}
            data={PERIODS.map(([within, name]) => ({ value: String(within), label: name }))}
            value={filter.within === undefined ? null : String(filter.within)}
            clearable
            onChange={(within) => set({ within: within === null ? undefined : Number(within) })}
          />
          <Select
            aria-label={t("User")}
            placeholder={t("All users")}
            data={nameOptions(users.data ?? [], picked)}
            value={filter.userid ?? null}
            searchable
            clearable
            limit={100}
            onChange={(userid) => set({ userid: userid ?? undefined })}
          />
          <Select
            aria-label={t("Object type")}
            placeholder={t("All objects")}
            data={resourceOptions()}
            value={filter.resourcetype ?? null}
            searchable
            clearable
            onChange={(resourcetype) => set({ resourcetype: resourcetype ?? undefined })}
          />
          <Select
            aria-label={t("Action")}
            placeholder={t("All actions")}
            data={actionOptions()}
            value={filter.action ?? null}
            clearable
            onChange={(action) => set({ action: action ?? undefined })}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {(rows) => (
          <DataTable
            label={t("Audit log")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => it.auditid}
            onOpen={setOpened}
            empty={<EmptyState title={t("No matching entries.")} />}
          />
        )}
      </QueryGate>
      {opened === undefined ? null : (
        <AuditDialog record={opened} onClose={() => setOpened(undefined)} />
      )}
    </Page>
  );
}

const COLUMNS: readonly DataColumn<AuditRecord>[] = [
  {
    id: "clock",
    title: t("Time"),
    width: "170px",
    sortValue: (it) => it.auditid,
    cell: (it) => formatDateTime(Number(it.clock)),
  },
  {
    id: "user",
    title: t("User"),
    width: "minmax(100px, 0.6fr)",
    sortValue: (it) => it.username,
    cell: (it) => <span className="ellipsis">{it.username}</span>,
  },
  {
    id: "action",
    title: t("Action"),
    width: "110px",
    sortValue: (it) => auditActionName(it.action),
    cell: (it) => (
      <span className={it.action === "2" || it.action === "9" ? "bad" : ""}>
        {auditActionName(it.action)}
      </span>
    ),
  },
  {
    id: "resource",
    title: t("Object"),
    width: "150px",
    sortValue: (it) => auditResourceName(it.resourcetype),
    cell: (it) => auditResourceName(it.resourcetype),
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(140px, 1fr)",
    sortValue: (it) => it.resourcename,
    cell: (it) => <span className="ellipsis">{it.resourcename}</span>,
  },
  {
    id: "details",
    title: t("Details"),
    width: "minmax(200px, 2fr)",
    cell: (it) => <span className="ellipsis dim">{summary(changesOf(it.all_details))}</span>,
  },
];
