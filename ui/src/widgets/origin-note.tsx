import { t } from "@/lib/i18n";
import { KeptNote } from "./kept-note";

export interface OriginNoteProps {
  readonly inherited: boolean;
  readonly discovered?: boolean;
}

/** Where an object comes from that is not of its holder's own. */
export function OriginNote({ inherited, discovered = false }: OriginNoteProps) {
  return (
    <>
      {inherited ? (
        <KeptNote>
          {t("Inherited from a template: grey fields are changed there, for all of its hosts.")}
        </KeptNote>
      ) : null}
      {discovered ? (
        <KeptNote>{t("Found by discovery: it follows its prototype.")}</KeptNote>
      ) : null}
    </>
  );
}
