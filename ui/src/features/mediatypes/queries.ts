import { useMutation, useQuery } from "@tanstack/react-query";
import {
  createMediaType,
  deleteMediaTypes,
  fetchMediaType,
  fetchMediaTypes,
  type MediaTypeChange,
  tryMediaType,
  updateMediaType,
} from "@/api/media";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

export function useMediaTypes() {
  return useQuery({
    queryKey: keys.mediaTypeList,
    queryFn: ({ signal }) => fetchMediaTypes(signal),
  });
}

export function useMediaType(id: Id | "new") {
  return useQuery({
    queryKey: keys.mediaType(id),
    queryFn: async ({ signal }) => (await fetchMediaType(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export const MEDIA_TYPES: ObjectCalls<MediaTypeChange> = {
  object: "mediatype",
  words: {
    one: t("Media type"),
    create: t("New media type"),
    remove: t("Delete media type"),
    loss: t("The media of this type are deleted from all users."),
    absent: t("There is no such media type."),
    saved: t("Media type saved"),
    notRemoved: t("The media type could not be deleted."),
  },
  change: "mediaType",
  create: createMediaType,
  update: updateMediaType,
  remove: deleteMediaTypes,
};

export function useMediaTrial(id: Id) {
  return useMutation({
    mutationFn: (message: { sendto: string; subject: string; message: string }) =>
      tryMediaType(id, message),
  });
}
