import { IconMail } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const mediaTypes = feature({
  title: t("Media types"),
  menu: { section: "alerts", icon: IconMail },
  least: SUPER_ADMIN,
  elements: ["administration.media_types"],
  guide: "media",
  pages: [
    list("/mediatypes", () => import("./mediatypes-page"), "MediaTypesPage"),
    form("/mediatypes/$mediatypeid", () => import("./mediatypes-page"), "MediaTypePage", {
      create: { title: t("New media type"), call: "mediatype.create" },
    }),
  ],
});
