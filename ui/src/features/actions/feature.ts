import { IconBolt } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const actions = feature({
  title: t("Actions"),
  menu: { section: "alerts", icon: IconBolt },
  least: SUPER_ADMIN,
  elements: [
    "configuration.trigger_actions",
    "configuration.service_actions",
    "configuration.discovery_actions",
    "configuration.autoregistration_actions",
    "configuration.internal_actions",
  ],
  guide: "actions",
  pages: [
    page("/actions", () => import("./routes"), "ActionsRoute", { search: ["q", "source"] }),
    page("/actions/$actionid", () => import("./routes"), "ActionRoute", {
      search: ["source"],
      create: { title: t("New action"), call: "action.create" },
    }),
  ],
});
