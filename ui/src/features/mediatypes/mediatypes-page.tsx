// Media types: how messages of actions reach users.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { MediaType } from "@/api/media";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { typeName } from "./draft";
import { MediaTypeForm } from "./mediatype-form";
import { MEDIA_TYPES, useMediaType, useMediaTypes } from "./queries";
import { MediaTypeTrial } from "./trial";

export interface MediaTypesPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function MediaTypesPage({ text, onText }: MediaTypesPageProps) {
  const query = useMediaTypes();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (it: MediaType) => words.every((word) => it.name.toLowerCase().includes(word));
    return (query.data ?? []).filter(matches);
  }, [query.data, text]);
  const open = (mediatypeid: string) =>
    void navigate({ to: "/mediatypes/$mediatypeid", params: { mediatypeid } });
  return (
    <Page
      title={t("Media types")}
      note={plural(rows.length, "1 media type", "{n} media types")}
      actions={
        <NewButton call="mediatype.create" onClick={() => open("new")}>
          {t("New media type")}
        </NewButton>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Media types")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => it.mediatypeid}
            isDimmed={(it) => it.status === "1"}
            onOpen={(it) => open(it.mediatypeid)}
            empty={<EmptyState title={t("No media type matches.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

const COLUMNS: readonly DataColumn<MediaType>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.name,
    cell: ({ mediatypeid, name }) => (
      <Link
        className="ellipsis"
        to="/mediatypes/$mediatypeid"
        params={{ mediatypeid }}
        data-opens-row
      >
        {name}
      </Link>
    ),
  },
  {
    id: "type",
    title: t("Type"),
    width: "110px",
    sortValue: (it) => typeName(it.type),
    cell: (it) => typeName(it.type),
  },
  {
    id: "status",
    title: t("Status"),
    width: "110px",
    sortValue: (it) => it.status,
    cell: (it) => (it.status === "0" ? <span className="ok">{t("Enabled")}</span> : t("Disabled")),
  },
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
