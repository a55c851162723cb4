import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { MediaTypeForm } from "./mediatype-form";
import { useMediaType } from "./queries";
import { MediaTypeTrial } from "./trial";

export interface MediaTypePageProps {
  readonly mediatypeid: string;
  readonly onDone: () => void;
}

export function MediaTypePage({ mediatypeid, onDone }: MediaTypePageProps) {
  const query = useMediaType(mediatypeid);
  if (mediatypeid === "new") {
    return (
      <Page title={t("New media type")} scroll>
        <MediaTypeForm mediaType={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Media type")} scroll>
      <QueryGate query={query}>
        {(mediaType) =>
          mediaType === null ? (
            <EmptyState title={t("There is no such media type.")} />
          ) : (
            <>
              <MediaTypeForm key={mediatypeid} mediaType={mediaType} onDone={onDone} />
              <MediaTypeTrial mediaType={mediaType} />
            </>
          )
        }
      </QueryGate>
    </Page>
  );
}
