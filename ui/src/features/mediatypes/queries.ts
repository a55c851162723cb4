import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
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
import { notifyDone, notifyFailed } from "@/ui/notify";

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

export function useMediaTypeMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "mediaType");
    onDone();
  };
  const save = useMutation({
    mutationFn: (it: { id: Id | undefined; change: MediaTypeChange }): Promise<unknown> =>
      it.id === undefined ? createMediaType(it.change) : updateMediaType(it.id, it.change),
    onSuccess: () => done(t("Media type saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteMediaTypes(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The media type could not be deleted."), error),
  });
  return { save, remove };
}

export function useMediaTrial(id: Id) {
  return useMutation({
    mutationFn: (message: { sendto: string; subject: string; message: string }) =>
      tryMediaType(id, message),
  });
}
