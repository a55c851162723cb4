import { IconUsers } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, list, page } from "@/ui/feature";

export const users = feature({
  title: t("Users"),
  menu: { section: "users", icon: IconUsers },
  least: SUPER_ADMIN,
  elements: ["administration.users"],
  guide: "users",
  pages: [
    list("/users", () => import("./users-page"), "UsersPage"),
    page("/users/$userid", () => import("./routes"), "UserRoute", {
      create: { title: t("New user"), call: "user.create" },
    }),
  ],
});
