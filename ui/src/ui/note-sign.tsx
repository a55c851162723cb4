import { Tooltip } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { t } from "@/lib/i18n";

/** A small sign next to something that works: the text says what went wrong all the same. */
export function NoteSign({ text }: { readonly text: string }) {
  return (
    <Tooltip label={text} maw={420} multiline>
      <span className="note" role="note" aria-label={text}>
        <IconInfoCircle size={14} aria-hidden /> {t("Note")}
      </span>
    </Tooltip>
  );
}
