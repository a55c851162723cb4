import { IconUsersGroup } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const userGroups = feature({
  title: t("User groups"),
  menu: { section: "users", icon: IconUsersGroup },
  least: SUPER_ADMIN,
  elements: ["administration.user_groups"],
  guide: "rights",
  pages: [
    list("/usergroups", () => import("./user-groups-page"), "UserGroupsPage"),
    form("/usergroups/$usrgrpid", () => import("./user-groups-page"), "UserGroupPage", {
      create: { title: t("New user group"), call: "usergroup.create" },
    }),
  ],
});
