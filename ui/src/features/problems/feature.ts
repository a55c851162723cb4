import { IconAlertTriangle } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { feature, page } from "@/ui/feature";

const SEARCH = [
  "sev",
  "q",
  "status",
  "ack",
  "suppressed",
  "hosts",
  "groups",
  "tags",
  "age",
  "sort",
  "timeline",
  "by",
  "event",
] as const;

export const problems = feature({
  title: t("Problems"),
  menu: { section: "monitoring", icon: IconAlertTriangle },
  elements: ["monitoring.problems"],
  guide: "events",
  shortcut: { keys: "g p", does: t("go to problems") },
  filtered: [{ title: t("Unacknowledged problems"), href: "/problems?ack=no&status=open" }],
  pages: [page("/problems", () => import("./routes"), "ProblemsRoute", { search: SEARCH })],
  ofHost: [page("problems", () => import("./routes"), "HostProblemsRoute", { search: SEARCH })],
});
