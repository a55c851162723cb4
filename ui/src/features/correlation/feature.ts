import { IconLink } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list } from "@/ui/feature";

export const correlation = feature({
  title: t("Event correlation"),
  menu: { section: "alerts", icon: IconLink },
  least: SUPER_ADMIN,
  elements: ["configuration.event_correlation"],
  guide: "correlation",
  pages: [
    list("/correlation", () => import("./correlations-page"), "CorrelationsPage"),
    form("/correlation/$correlationid", () => import("./correlations-page"), "CorrelationPage", {
      create: { title: t("New correlation rule"), call: "correlation.create" },
    }),
  ],
});
