import { IconTerminal2 } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const scripts = feature({
  title: t("Scripts"),
  menu: { section: "alerts", icon: IconTerminal2 },
  least: SUPER_ADMIN,
  elements: ["administration.scripts"],
  guide: "scripts",
  pages: [
    list("/scripts", () => import("./scripts-page"), "ScriptsPage"),
    form("/scripts/$scriptid", () => import("./scripts-page"), "ScriptPage", {
      create: { title: t("New script"), call: "script.create" },
    }),
  ],
});
