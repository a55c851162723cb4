import { IconSitemap } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

export const services = feature({
  title: t("Services"),
  menu: { section: "monitoring", icon: IconSitemap },
  elements: ["services.services"],
  guide: "services",
  pages: [
    page("/services", () => import("./routes"), "ServicesRoute", { search: ["q", "show"] }),
    page("/services/$serviceid", () => import("./routes"), "ServiceRoute", {
      search: ["parent"],
      create: { title: t("New service"), call: "service.create" },
    }),
  ],
});
