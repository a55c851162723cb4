import { IconKey } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const tokens = feature({
  title: t("API tokens"),
  menu: { section: "users", icon: IconKey },
  least: SUPER_ADMIN,
  // all users whose role lets them have tokens see their own ones
  isOpenTo: ({ denied }) => denied?.includes("token.get") !== true,
  guide: "users",
  words: t("My API tokens"),
  pages: [
    page("/tokens", () => import("./tokens-page"), "TokensPage"),
    page("/tokens/$tokenid", () => import("./routes"), "TokenRoute", {
      create: { title: t("New API token"), call: "token.create" },
    }),
  ],
});
