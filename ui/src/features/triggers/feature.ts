import { feature } from "@/ui/feature";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

export const triggers = feature({
  guide: "expressions",
  pages: [],
  parts: [
    ownerList("triggers", () => import("./triggers-page"), "TriggersPage"),
    ownerForm("triggers/$triggerid", () => import("./triggers-page"), "TriggerPage"),
    ownerForm(
      "discovery/$ruleid/trigger-prototypes/$triggerid",
      () => import("./triggers-page"),
      "TriggerPrototypePage",
    ),
  ],
});
