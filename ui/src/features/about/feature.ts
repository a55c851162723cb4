import { IconInfoCircle } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, page } from "@/ui/feature";

export const about = feature({
  title: t("About"),
  menu: { section: "administration", icon: IconInfoCircle },
  least: SUPER_ADMIN,
  // the menu of each user leads to it
  isOpenTo: () => true,
  pages: [page("/about", () => import("./about-page"), "AboutPage", { heading: t("About Saker") })],
});
