import { CONNECTORS as OBJECTS } from "@/api/connectors";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useConnectors = () => useObjects(OBJECTS);
export const useConnector = (connectorid: string) => useObject(OBJECTS, connectorid);

export const CONNECTORS = callsOf(OBJECTS, {
  one: t("Connector"),
  create: t("New connector"),
  remove: t("Delete connector"),
  loss: t("Data not yet sent is discarded."),
  absent: t("There is no such connector."),
  saved: t("Connector saved"),
  notRemoved: t("The connector could not be deleted."),
});
