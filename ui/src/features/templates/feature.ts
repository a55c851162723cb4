import { IconTemplate } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, list, page } from "@/ui/feature";

const routes = () => import("./routes");

export const templates = feature({
  title: t("Templates"),
  menu: { section: "collection", icon: IconTemplate },
  elements: ["configuration.templates"],
  guide: "official-templates",
  shortcut: { keys: "g t", does: t("go to templates") },
  pages: [
    list("/templates", () => import("./templates-page"), "TemplatesPage"),
    page("/templates/new", routes, "TemplateNewRoute", {
      create: { title: t("New template"), call: "template.create" },
    }),
  ],
  ofTemplate: [page("configuration", routes, "TemplateEditRoute")],
});
