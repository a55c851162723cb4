import { IconInfoCircle } from "@tabler/icons-react";
import { t } from "@/lib/i18n";

export interface StateNoteProps {
  /** "1": not supported */
  readonly state: string;
  readonly error: string;
}

/** Why an item has no values, or what was wrong with some of them; nothing if all is well. */
export function StateNote({ state, error }: StateNoteProps) {
  if (state === "1") {
    return (
      <p className="bad" role="alert">
        {error === "" ? t("Not supported") : error}
      </p>
    );
  }
  if (error === "") return null;
  return (
    <p className="note" role="note">
      <IconInfoCircle size={14} aria-hidden /> {error}
    </p>
  );
}
