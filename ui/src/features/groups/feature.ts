import { IconFolderCog, IconFolders } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

const pages = () => import("./groups-page");

export const hostGroups = feature({
  title: t("Host groups"),
  menu: { section: "collection", icon: IconFolders },
  least: ADMIN,
  elements: ["configuration.host_groups"],
  guide: "hosts",
  pages: [
    list("/hostgroups", pages, "HostGroupsPage"),
    form("/hostgroups/$groupid", pages, "HostGroupPage", {
      create: { title: t("New host group"), call: "hostgroup.create" },
    }),
  ],
});

export const templateGroups = feature({
  title: t("Template groups"),
  menu: { section: "collection", icon: IconFolderCog },
  least: ADMIN,
  elements: ["configuration.template_groups"],
  guide: "hosts",
  pages: [
    list("/templategroups", pages, "TemplateGroupsPage"),
    form("/templategroups/$groupid", pages, "TemplateGroupPage", {
      create: { title: t("New template group"), call: "templategroup.create" },
    }),
  ],
});
