import { IconCalendarUser } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, list, page } from "@/ui/feature";

export const oncall = feature({
  title: t("On call"),
  menu: { section: "monitoring", icon: IconCalendarUser },
  guide: "oncall",
  pages: [
    list("/oncall", () => import("./schedules-page"), "SchedulesPage"),
    page("/oncall/$oncallid", () => import("./routes"), "ScheduleRoute", {
      search: ["view", "zone", "at"],
    }),
    page("/oncall/$oncallid/edit", () => import("./routes"), "ScheduleEditRoute", {
      create: { title: t("New on-call schedule"), call: "oncall.create" },
    }),
  ],
});
