import { IconRegex } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const regexps = feature({
  title: t("Regular expressions"),
  menu: { section: "administration", icon: IconRegex },
  least: SUPER_ADMIN,
  elements: ["administration.general"],
  guide: "regular-expressions",
  pages: [
    list("/regexps", () => import("./regexps-page"), "RegexpsPage"),
    form("/regexps/$regexpid", () => import("./regexps-page"), "RegexpPage", {
      create: { title: t("New regular expression"), call: "regexp.create" },
    }),
  ],
});
