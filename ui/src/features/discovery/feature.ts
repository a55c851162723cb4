import { feature, page } from "@/ui/feature";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

export const discovery = feature({
  pages: [],
  parts: [
    ownerList("discovery", () => import("./rules-page"), "RulesPage"),
    page("discovery/$ruleid", () => import("./routes"), "RuleRoute"),
    page("discovery/$ruleid/rule-prototypes/new", () => import("./routes"), "RulePrototypeRoute", {
      guide: "nested-discovery",
    }),
    ownerForm(
      "discovery/$ruleid/host-prototypes/$prototypeid",
      () => import("./host-prototype-page"),
      "HostPrototypePage",
      { guide: "host-prototypes" },
    ),
  ],
});
