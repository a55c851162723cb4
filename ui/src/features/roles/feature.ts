import { IconUserShield } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, page } from "@/ui/feature";

export const roles = feature({
  title: t("User roles"),
  menu: { section: "users", icon: IconUserShield },
  least: SUPER_ADMIN,
  elements: ["administration.user_roles"],
  guide: "rights",
  pages: [
    page("/roles", () => import("./roles-page"), "RolesPage"),
    form("/roles/$roleid", () => import("./roles-page"), "RolePage", {
      create: { title: t("New user role"), call: "role.create" },
    }),
  ],
});
