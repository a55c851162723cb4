import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

export const media = feature({
  title: t("My media"),
  guide: "media",
  pages: [page("/media", () => import("./routes"), "MediaRoute")],
});
