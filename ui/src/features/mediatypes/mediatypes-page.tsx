// Media types: how messages of actions reach users.

import type { MediaType } from "@/api/media";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, statusColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { typeName } from "./draft";
import { MediaTypeForm } from "./mediatype-form";
import { MEDIA_TYPES, useMediaType, useMediaTypes } from "./queries";
import { MediaTypeTrial } from "./trial";

const PATH = "/mediatypes/$mediatypeid";

export function MediaTypesPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Media types")}
      note={(rows) => plural(rows.length, "1 media type", "{n} media types")}
      calls={MEDIA_TYPES}
      query={useMediaTypes()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      isDimmed={(it) => !isEnabled(it)}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
    />
  );
}

const idOf = ({ mediatypeid }: MediaType) => mediatypeid;
const isEnabled = ({ status }: MediaType) => status === "0";

function select(all: readonly MediaType[], finds: Matcher): readonly MediaType[] {
  return all.filter(({ name }) => finds(() => [name]));
}

const COLUMNS: readonly DataColumn<MediaType>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
  {
    id: "type",
    title: t("Type"),
    width: "110px",
    sortValue: (it) => typeName(it.type),
    cell: (it) => typeName(it.type),
  },
  statusColumn(isEnabled),
  {
    id: "details",
    title: t("Details"),
    width: "minmax(200px, 2fr)",
    cell: (it) => <span className="ellipsis">{details(it)}</span>,
  },
];

function details(it: MediaType): string {
  if (it.smtp_server !== "") return `${it.smtp_server}:${it.smtp_port}, ${it.smtp_email}`;
  if (it.exec_path !== "") return it.exec_path;
  return it.description.split("\n")[0] ?? "";
}

export interface MediaTypePageProps {
  readonly mediatypeid: string;
  readonly onDone: () => void;
}

export function MediaTypePage({ mediatypeid, onDone }: MediaTypePageProps) {
  return (
    <ObjectPage
      id={mediatypeid}
      audited="mediaType"
      words={MEDIA_TYPES.words}
      query={useMediaType(mediatypeid)}
    >
      {(mediaType) => (
        <>
          <MediaTypeForm key={mediatypeid} mediaType={mediaType} onDone={onDone} />
          {mediaType === undefined ? null : <MediaTypeTrial mediaType={mediaType} />}
        </>
      )}
    </ObjectPage>
  );
}
