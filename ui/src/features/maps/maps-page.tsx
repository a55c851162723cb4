// Maps that the user may see.

import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { MapRow } from "@/api/maps";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { ImportButton } from "@/widgets/import-dialog";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { PickedExport } from "@/widgets/picked-export";
import { MAPS, useMaps, useWritableMaps } from "./queries";

export interface MapsPageProps extends ListProps {
  /** images, icon maps and files are for super admins */
  readonly isSuperAdmin: boolean;
}

const PATH = "/maps/$sysmapid";

export function MapsPage({ text, onText, isSuperAdmin }: MapsPageProps) {
  const writable = useWritableMaps();
  const columns = useMemo(() => columnsFor(new Set(writable.data)), [writable.data]);
  const open = useOpen(PATH);
  const edit = useOpen("/maps/$sysmapid/edit");
  return (
    <ObjectList
      title={t("Maps")}
      note={(rows) => plural(rows.length, "1 map", "{n} maps")}
      calls={MAPS}
      query={useMaps()}
      select={select}
      columns={columns}
      rowKey={idOf}
      picks="always"
      actions={({ rows, picked }) => (
        <>
          <PickedExport
            kind="maps"
            shown={rows.map(idOf)}
            picked={picked}
            label={(n) => plural(n, "1 map", "{n} maps")}
          />
          {isSuperAdmin ? <AdminActions /> : null}
        </>
      )}
      onOpen={(it) => open(idOf(it))}
      onNew={() => edit("new")}
      search={{ text, onText, placeholder: t("Search names") }}
      none={t("There are no maps yet.")}
    />
  );
}

const idOf = ({ sysmapid }: MapRow) => sysmapid;

function select(all: readonly MapRow[], finds: Matcher): readonly MapRow[] {
  return all.filter(({ name }) => finds(() => [name]));
}

function AdminActions() {
  const navigate = useNavigate();
  return (
    <>
      <Button variant="default" onClick={() => void navigate({ to: "/images" })}>
        {t("Images")}
      </Button>
      <Button variant="default" onClick={() => void navigate({ to: "/iconmaps" })}>
        {t("Icon maps")}
      </Button>
      <ImportButton />
    </>
  );
}

function columnsFor(writable: ReadonlySet<Id>): readonly DataColumn<MapRow>[] {
  return [
    nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(200px, 3fr)" }),
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
