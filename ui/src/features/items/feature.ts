import { feature } from "@/ui/feature";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

export const items = feature({
  guide: "preprocessing",
  pages: [],
  parts: [
    ownerList("items", () => import("./items-page"), "ItemsPage"),
    ownerForm("items/$itemid", () => import("./items-page"), "ItemPage"),
    ownerForm(
      "discovery/$ruleid/prototypes/$itemid",
      () => import("./items-page"),
      "PrototypePage",
    ),
  ],
});
