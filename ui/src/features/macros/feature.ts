import { IconVariable } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form } from "@/ui/feature";
import { ownerPage } from "@/widgets/owner-pages";

export const macros = feature({
  title: t("Global macros"),
  menu: { section: "administration", icon: IconVariable },
  least: SUPER_ADMIN,
  elements: ["administration.macros"],
  guide: "macros",
  pages: [form("/macros", () => import("./macros-page"), "MacrosPage")],
  parts: [ownerPage("macros", () => import("./effective-page"), "EffectiveMacrosPage")],
});
