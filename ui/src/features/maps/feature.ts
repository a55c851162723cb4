import { IconMap2, IconPhoto, IconPhotoSensor } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { SUPER_ADMIN } from "@/lib/user-type";
import { feature, form, list, page } from "@/ui/feature";

const routes = () => import("./routes");

export const maps = feature({
  title: t("Maps"),
  menu: { section: "monitoring", icon: IconMap2 },
  elements: ["monitoring.maps"],
  guide: "maps",
  pages: [
    page("/maps", routes, "MapsRoute", { search: ["q"] }),
    page("/maps/$sysmapid", routes, "MapRoute", { search: ["sev"] }),
    page("/maps/$sysmapid/edit", routes, "MapEditorRoute", {
      create: { title: t("New map"), call: "map.create" },
    }),
  ],
});

export const images = feature({
  title: t("Images"),
  menu: { section: "administration", icon: IconPhoto },
  least: SUPER_ADMIN,
  elements: ["administration.general"],
  guide: "maps",
  pages: [list("/images", () => import("./images-page"), "ImagesPage")],
});

export const iconMaps = feature({
  title: t("Icon maps"),
  menu: { section: "administration", icon: IconPhotoSensor },
  least: SUPER_ADMIN,
  elements: ["administration.general"],
  guide: "maps",
  pages: [
    list("/iconmaps", () => import("./icon-maps-page"), "IconMapsPage"),
    form("/iconmaps/$iconmapid", () => import("./icon-maps-page"), "IconMapPage", {
      create: { title: t("New icon map"), call: "iconmap.create" },
    }),
  ],
});
