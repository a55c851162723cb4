import { feature } from "@/ui/feature";
import { ownerForm, ownerList } from "@/widgets/owner-pages";

export const valueMaps = feature({
  pages: [],
  parts: [
    ownerList("valuemaps", () => import("./value-maps-page"), "ValueMapsPage"),
    ownerForm("valuemaps/$valuemapid", () => import("./value-map-page"), "ValueMapPage"),
  ],
});
