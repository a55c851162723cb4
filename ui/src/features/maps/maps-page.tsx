// Maps that the user may see.

import { Button } from "@mantine/core";
import { IconFileImport, IconPencil } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { MapRow } from "@/api/maps";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { May } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ImportDialog } from "@/widgets/import-dialog";
import { PickedExport } from "@/widgets/picked-export";
import { useMaps, useWritableMaps } from "./queries";

export interface MapsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** images, icon maps and files are for super admins */
  readonly isSuperAdmin: boolean;
}

export function MapsPage({ text, onText, isSuperAdmin }: MapsPageProps) {
  const query = useMaps();
  const writable = useWritableMaps();
  const navigate = useNavigate();
  const [importing, setImporting] = useState(false);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const all = query.data ?? [];
    return all.filter(({ name }) => words.every((it) => name.toLowerCase().includes(it)));
  }, [query.data, text]);
  const columns = useMemo(() => columnsFor(new Set(writable.data)), [writable.data]);
  return (
    <Page
      title={t("Maps")}
      note={plural(rows.length, "1 map", "{n} maps")}
      actions={
        <>
          <PickedExport
            kind="maps"
            shown={rows.map(({ sysmapid }) => sysmapid)}
            picked={picked}
            label={(n) => plural(n, "1 map", "{n} maps")}
          />
          {isSuperAdmin ? (
            <>
              <Button variant="default" onClick={() => void navigate({ to: "/images" })}>
                {t("Images")}
              </Button>
              <Button variant="default" onClick={() => void navigate({ to: "/iconmaps" })}>
                {t("Icon maps")}
              </Button>
              <May call="configuration.importcompare">
                <Button
                  variant="default"
                  leftSection={<IconFileImport size={14} />}
                  onClick={() => setImporting(true)}
                >
                  {t("Import")}
                </Button>
              </May>
            </>
          ) : null}
          <NewButton
            call="map.create"
            onClick={() =>
              void navigate({ to: "/maps/$sysmapid/edit", params: { sysmapid: "new" } })
            }
          >
            {t("New map")}
          </NewButton>
        </>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Maps")}
            rows={rows}
            columns={columns}
            rowKey={({ sysmapid }) => sysmapid}
            picking={{ picked, onChange: setPicked }}
            onOpen={({ sysmapid }) =>
              void navigate({ to: "/maps/$sysmapid", params: { sysmapid } })
            }
            empty={
              <EmptyState
                title={all.length === 0 ? t("There are no maps yet.") : t("No map matches.")}
              >
                {all.length === 0 ? (
                  <May call="map.create">
                    <Link to="/maps/$sysmapid/edit" params={{ sysmapid: "new" }}>
                      {t("Create the first one")}
                    </Link>
                  </May>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
      <ImportDialog opened={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}

function columnsFor(writable: ReadonlySet<Id>): readonly DataColumn<MapRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(200px, 3fr)",
      sortValue: ({ name }) => name,
      cell: ({ sysmapid, name }) => (
        <Link className="ellipsis" to="/maps/$sysmapid" params={{ sysmapid }} data-opens-row>
          {name}
        </Link>
      ),
    },
    {
      id: "size",
      title: t("Size"),
      width: "minmax(110px, 1fr)",
      sortValue: ({ width, height }) => Number(width) * Number(height),
      cell: ({ width, height }) => `${width} × ${height}`,
    },
    {
      id: "sharing",
      title: t("Visible to"),
      width: "minmax(140px, 1fr)",
      sortValue: (it) => it.private,
      cell: (it) => (it.private === "0" ? t("all users") : t("owner and users with access")),
    },
    {
      id: "edit",
      title: t("Edit"),
      width: "90px",
      cell: ({ sysmapid, name }) =>
        writable.has(sysmapid) ? (
          <Link
            to="/maps/$sysmapid/edit"
            params={{ sysmapid }}
            aria-label={t("Edit {name}", { name })}
          >
            <IconPencil size={15} aria-hidden />
          </Link>
        ) : null,
    },
  ];
}
