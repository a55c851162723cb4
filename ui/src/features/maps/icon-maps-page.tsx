// Icon maps: which icon stands for a host, by its inventory.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type IconMap, imageAddress } from "@/api/maps";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { IconMapForm } from "./icon-map-form";
import { summary } from "./icon-mappings";
import classes from "./maps.module.css";
import { ICON_MAPS, useIconMap, useIconMaps, useImages } from "./queries";

export interface IconMapsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function IconMapsPage({ text, onText }: IconMapsPageProps) {
  const query = useIconMaps();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter(({ name, mappings }) => {
      const content = `${name}\n${summary(mappings)}`.toLowerCase();
      return words.every((it) => content.includes(it));
    });
  }, [query.data, text]);
  return (
    <Page
      title={t("Icon maps")}
      note={plural(rows.length, "1 icon map", "{n} icon maps")}
      actions={
        <NewButton
          call="iconmap.create"
          onClick={() =>
            void navigate({ to: "/iconmaps/$iconmapid", params: { iconmapid: "new" } })
          }
        >
          {t("New icon map")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, mappings")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Icon maps")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ iconmapid }) => iconmapid}
            onOpen={({ iconmapid }) =>
              void navigate({ to: "/iconmaps/$iconmapid", params: { iconmapid } })
            }
            empty={
              <EmptyState
                title={
                  all.length === 0 ? t("There are no icon maps yet.") : t("No icon map matches.")
                }
              >
                {all.length === 0 ? (
                  <Link to="/iconmaps/$iconmapid" params={{ iconmapid: "new" }}>
                    {t("Create the first one")}
                  </Link>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

const COLUMNS: readonly DataColumn<IconMap>[] = [
  {
    id: "icons",
    title: t("Icon"),
    width: "60px",
    cell: ({ default_iconid }) => (
      <img className={classes["thumb"]} src={imageAddress(default_iconid)} alt="" loading="lazy" />
    ),
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: ({ name }) => name,
    cell: ({ iconmapid, name }) => (
      <Link className="ellipsis" to="/iconmaps/$iconmapid" params={{ iconmapid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "mappings",
    title: t("Mappings"),
    width: "minmax(220px, 3fr)",
    cell: ({ mappings }) => <span className="ellipsis">{summary(mappings)}</span>,
  },
];

export interface IconMapPageProps {
  /** "new" of one that is to be made */
  readonly iconmapid: string;
  readonly onDone: () => void;
}

export function IconMapPage({ iconmapid, onDone }: IconMapPageProps) {
  const images = useImages();
  return (
    <ObjectPage
      id={iconmapid}
      audited="iconMap"
      words={ICON_MAPS.words}
      query={useIconMap(iconmapid)}
    >
      {(iconMap) => (
        <QueryGate query={images}>
          {(known) => (
            <IconMapForm key={iconmapid} iconMap={iconMap} images={known} onDone={onDone} />
          )}
        </QueryGate>
      )}
    </ObjectPage>
  );
}
