import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

export const guide = feature({
  title: t("User guide"),
  pages: [
    page("/docs", () => import("./routes"), "GuideRoute"),
    page("/docs/$page", () => import("./routes"), "GuideRoute"),
  ],
});

export const reference = feature({
  title: t("API reference"),
  pages: [
    page("/docs/api", () => import("./reference-route"), "ReferenceRoute"),
    page("/docs/api/$object", () => import("./reference-route"), "ReferenceRoute"),
  ],
});
