import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

export const profile = feature({
  title: t("My profile"),
  guide: "users",
  pages: [page("/profile", () => import("./routes"), "ProfileRoute")],
});
