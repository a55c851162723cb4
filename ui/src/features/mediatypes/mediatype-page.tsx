import { ObjectPage } from "@/widgets/objects/object-page";
import { MediaTypeForm } from "./mediatype-form";
import { MEDIA_TYPES, useMediaType } from "./queries";
import { MediaTypeTrial } from "./trial";

export interface MediaTypePageProps {
  readonly mediatypeid: string;
  readonly onDone: () => void;
}

export function MediaTypePage({ mediatypeid, onDone }: MediaTypePageProps) {
  return (
    <ObjectPage
      id={mediatypeid}
      audited="mediaType"
      words={MEDIA_TYPES.words}
      query={useMediaType(mediatypeid)}
    >
      {(mediaType) => (
        <>
          <MediaTypeForm key={mediatypeid} mediaType={mediaType} onDone={onDone} />
          {mediaType === undefined ? null : <MediaTypeTrial mediaType={mediaType} />}
        </>
      )}
    </ObjectPage>
  );
}
