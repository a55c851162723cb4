// Icons and backgrounds of maps: what there is, and new ones from files.

import { Button, FileButton, SegmentedControl } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { changed } from "@/api/changes";
import { IMAGES, type ImageRow, imageAddress } from "@/api/maps";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { DeleteButton } from "@/ui/delete-button";
import type { ListProps } from "@/ui/feature";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { ObjectList } from "@/widgets/objects/object-list";
import { PickedExport } from "@/widgets/picked-export";
import classes from "./maps.module.css";
import { useImages } from "./queries";

const FILES = "image/png,image/jpeg,image/gif";

export function ImagesPage(search: ListProps) {
  const [kind, setKind] = useState("1");
  const upload = useUpload(kind);
  const select = useCallback(
    (all: readonly ImageRow[], finds: Matcher) =>
      all.filter(({ name, imagetype }) => imagetype === kind && finds(() => [name])),
    [kind],
  );
  return (
    <ObjectList
      title={t("Images")}
      note={(rows) => plural(rows.length, "1 image", "{n} images")}
      query={useImages()}
      select={select}
      columns={COLUMNS}
      rowKey={({ imageid }) => imageid}
      picks="always"
      actions={({ rows, picked }) => (
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
      )}
      search={{ ...search, placeholder: t("Search names") }}
      filters={
        <SegmentedControl
          aria-label={t("Image type")}
          data={[
            { value: "1", label: t("Icons") },
            { value: "2", label: t("Backgrounds") },
          ]}
          value={kind}
          onChange={setKind}
        />
      }
    />
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
