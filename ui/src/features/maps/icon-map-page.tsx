import { QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { IconMapForm } from "./icon-map-form";
import { ICON_MAPS, useIconMap, useImages } from "./queries";

export interface IconMapPageProps {
  /** "new" of one that is to be made */
  readonly iconmapid: string;
  readonly onDone: () => void;
}

export function IconMapPage({ iconmapid, onDone }: IconMapPageProps) {
  const images = useImages();
  return (
    <ObjectPage
      id={iconmapid}
      audited="iconMap"
      words={ICON_MAPS.words}
      query={useIconMap(iconmapid)}
    >
      {(iconMap) => (
        <QueryGate query={images}>
          {(known) => (
            <IconMapForm key={iconmapid} iconMap={iconMap} images={known} onDone={onDone} />
          )}
        </QueryGate>
      )}
    </ObjectPage>
  );
}
