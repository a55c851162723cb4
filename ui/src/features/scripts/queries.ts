import { SCRIPTS as OBJECTS } from "@/api/scripts";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useScripts = () => useObjects(OBJECTS);

export const useScript = (id: Id) => useObject(OBJECTS, id);

export const SCRIPTS = callsOf(OBJECTS, {
  one: t("Script"),
  create: t("New script"),
  remove: t("Delete script"),
  loss: t("It is removed from all menus."),
  absent: t("There is no such script."),
  saved: t("Script saved"),
  notRemoved: t("The script could not be deleted."),
});
