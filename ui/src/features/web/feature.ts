import { IconWorldWww } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, list } from "@/ui/feature";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

export const web = feature({
  title: t("Web monitoring"),
  menu: { section: "monitoring", icon: IconWorldWww },
  elements: ["monitoring.hosts"],
  guide: "web-scenarios",
  words: t("Web scenarios"),
  pages: [list("/web", () => import("./web-page"), "WebPage")],
  parts: [
    ownerList("web", () => import("./scenarios-page"), "ScenariosPage"),
    ownerForm("web/$httptestid", () => import("./scenarios-page"), "ScenarioPage"),
  ],
});
