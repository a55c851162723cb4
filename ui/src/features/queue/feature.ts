import { IconHourglass } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const queue = feature({
  title: t("Queue"),
  menu: { section: "administration", icon: IconHourglass },
  least: SUPER_ADMIN,
  elements: ["administration.queue"],
  guide: "queue",
  pages: [page("/queue", () => import("./queue-page"), "QueuePage")],
});
