// Icons and backgrounds of maps: what there is, and new ones from files.

import { Button, FileButton, SegmentedControl } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { changed } from "@/api/changes";
import { IMAGES, type ImageRow, imageAddress } from "@/api/maps";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { DeleteButton } from "@/ui/delete-button";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { PickedExport } from "@/widgets/picked-export";
import classes from "./maps.module.css";
import { useImages } from "./queries";

export interface ImagesPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

const FILES = "image/png,image/jpeg,image/gif";

export function ImagesPage({ text, onText }: ImagesPageProps) {
  const query = useImages();
  const [kind, setKind] = useState("1");
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const upload = useUpload(kind);
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter(
      ({ name, imagetype }) =>
        imagetype === kind && words.every((it) => name.toLowerCase().includes(it)),
    );
  }, [query.data, text, kind]);
  return (
    <Page
      title={t("Images")}
      note={plural(rows.length, "1 image", "{n} images")}
      actions={
        <>
          <PickedExport
            kind="images"
            shown={rows.map(({ imageid }) => imageid)}
            picked={picked}
            label={(n) => plural(n, "1 image", "{n} images")}
          />
          <FileButton accept={FILES} multiple onChange={(files) => upload.mutate(files)}>
            {(props) => (
              <Button {...props} leftSection={<IconUpload size={14} />} loading={upload.isPending}>
                {kind === "1" ? t("Upload icons") : t("Upload backgrounds")}
              </Button>
            )}
          </FileButton>
        </>
      }
      filters={
        <>
          <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
          <SegmentedControl
            aria-label={t("Image type")}
            data={[
              { value: "1", label: t("Icons") },
              { value: "2", label: t("Backgrounds") },
            ]}
            value={kind}
            onChange={setKind}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Images")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ imageid }) => imageid}
            picking={{ picked, onChange: setPicked }}
            empty={<EmptyState title={t("No image matches.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

/** Of a file, in base64. */
function contentOf(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => fail(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}

function useUpload(imagetype: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const name = file.name.replace(/\.[^.]*$/, "").slice(0, 64);
        await IMAGES.create({ name, imagetype, image: await contentOf(file) });
      }
      return files.length;
    },
    onSuccess: (n) => notifyDone(plural(n, "1 image uploaded", "{n} images uploaded")),
    onError: (error) => notifyFailed(t("The image could not be uploaded."), error),
    onSettled: () => changed(client, "image"),
  });
}

function Remove({ imageid, name }: ImageRow) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => IMAGES.remove([imageid]),
    onSuccess: () => changed(client, "image"),
    onError: (error) => notifyFailed(t("The image could not be deleted."), error),
  });
  return (
    <DeleteButton
      label={t("Delete")}
      name={name}
      busy={remove.isPending}
      onDelete={() => remove.mutate()}
    >
      {t("Images that maps or icon maps use are not deleted.")}
    </DeleteButton>
  );
}

const COLUMNS: readonly DataColumn<ImageRow>[] = [
  {
    id: "image",
    title: t("Image"),
    width: "70px",
    cell: ({ imageid }) => (
      <img className={classes["thumb"]} src={imageAddress(imageid)} alt="" loading="lazy" />
    ),
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(200px, 3fr)",
    sortValue: ({ name }) => name,
    cell: ({ name }) => <span className="ellipsis">{name}</span>,
  },
  {
    id: "remove",
    title: t("Delete"),
    width: "110px",
    cell: (row) => <Remove {...row} />,
  },
];
