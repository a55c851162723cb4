import { useMutation } from "@tanstack/react-query";
import { MEDIA_TYPES as OBJECTS, tryMediaType } from "@/api/media";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useMediaTypes = () => useObjects(OBJECTS);

export const useMediaType = (id: Id) => useObject(OBJECTS, id);

export const MEDIA_TYPES = callsOf(OBJECTS, {
  one: t("Media type"),
  create: t("New media type"),
  remove: t("Delete media type"),
  loss: t("The media of this type are deleted from all users."),
  absent: t("There is no such media type."),
  saved: t("Media type saved"),
  notRemoved: t("The media type could not be deleted."),
});

export function useMediaTrial(id: Id) {
  return useMutation({
    mutationFn: (message: { sendto: string; subject: string; message: string }) =>
      tryMediaType(id, message),
  });
}
