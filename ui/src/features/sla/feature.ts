import { IconTargetArrow } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, list, page } from "@/ui/feature";

export const sla = feature({
  title: t("SLA"),
  menu: { section: "monitoring", icon: IconTargetArrow },
  elements: ["services.sla", "services.sla_report"],
  guide: "services",
  pages: [
    list("/sla", () => import("./slas-page"), "SlasPage"),
    page("/sla/$slaid", () => import("./routes"), "SlaRoute", {
      create: { title: t("New SLA"), call: "sla.create" },
    }),
    page("/sla/$slaid/report", () => import("./routes"), "SlaReportRoute"),
  ],
});
