// Icon maps: which icon stands for a host, by its inventory.

import { type IconMap, imageAddress } from "@/api/maps";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { QueryGate } from "@/ui/states";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { IconMapForm } from "./icon-map-form";
import { summary } from "./icon-mappings";
import classes from "./maps.module.css";
import { ICON_MAPS, useIconMap, useIconMaps, useImages } from "./queries";

const PATH = "/iconmaps/$iconmapid";

export function IconMapsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Icon maps")}
      note={(rows) => plural(rows.length, "1 icon map", "{n} icon maps")}
      calls={ICON_MAPS}
      query={useIconMaps()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names, mappings") }}
      none={t("There are no icon maps yet.")}
    />
  );
}

const idOf = ({ iconmapid }: IconMap) => iconmapid;

function select(all: readonly IconMap[], finds: Matcher): readonly IconMap[] {
  return all.filter(({ name, mappings }) => finds(() => [name, summary(mappings)]));
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
  nameColumn(PATH, idOf, ({ name }) => name),
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
