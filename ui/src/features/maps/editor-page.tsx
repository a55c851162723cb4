import { Page } from "@/ui/page";
import { EmptyState, ObjectGate, QueryGate } from "@/ui/states";
import { Editable } from "@/widgets/editable";
import { draftOf, EMPTY } from "./draft";
import { MapEditor } from "./map-editor";
import { MAPS, useImages, useMap } from "./queries";

export interface MapEditorPageProps {
  /** "new" of one that is to be made */
  readonly sysmapid: string;
  readonly onDone: () => void;
}

export function MapEditorPage({ sysmapid, onDone }: MapEditorPageProps) {
  const id = sysmapid === "new" ? undefined : sysmapid;
  const query = useMap(id);
  const images = useImages();
  return (
    <Page title={id === undefined ? MAPS.words.create : (query.data?.name ?? MAPS.words.one)}>
      <QueryGate query={images}>
        {(known) =>
          id === undefined ? (
            <Editable kind="map" id={undefined}>
              <MapEditor sysmapid={undefined} first={EMPTY} images={known} onDone={onDone} />
            </Editable>
          ) : (
            <ObjectGate query={query} absent={<EmptyState title={MAPS.words.absent} />}>
              {(map) => (
                <Editable kind="map" id={id}>
                  <MapEditor
                    key={id}
                    sysmapid={id}
                    first={draftOf(map)}
                    images={known}
                    onDone={onDone}
                  />
                </Editable>
              )}
            </ObjectGate>
          )
        }
      </QueryGate>
    </Page>
  );
}
