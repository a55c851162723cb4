import {
  HOST_GROUPS as STORED_HOST_GROUPS,
  TEMPLATE_GROUPS as STORED_TEMPLATE_GROUPS,
} from "@/api/groups";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useHostGroups = () => useObjects(STORED_HOST_GROUPS);
export const useHostGroup = (id: Id) => useObject(STORED_HOST_GROUPS, id);

export const useTemplateGroups = () => useObjects(STORED_TEMPLATE_GROUPS);
export const useTemplateGroup = (id: Id) => useObject(STORED_TEMPLATE_GROUPS, id);

export const HOST_GROUPS = callsOf(STORED_HOST_GROUPS, {
  one: t("Host group"),
  create: t("New host group"),
  remove: t("Delete host group"),
  loss: t("Its hosts are kept. A group that is the only one of a host is not deleted."),
  absent: t("There is no such host group."),
  saved: t("Host group saved"),
  notRemoved: t("The host group could not be deleted."),
});

export const TEMPLATE_GROUPS = callsOf(STORED_TEMPLATE_GROUPS, {
  one: t("Template group"),
  create: t("New template group"),
  remove: t("Delete template group"),
  loss: t("Its templates are kept. A group that is the only one of a template is not deleted."),
  absent: t("There is no such template group."),
  saved: t("Template group saved"),
  notRemoved: t("The template group could not be deleted."),
});
