// A dialog with fields: what was typed is not lost by Escape, by a click next to it or by its close button; these ask
// first, as leaving a page does. The dialog's own Cancel says what it does and does not ask.

import type { ModalProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { t } from "@/lib/i18n";
import { Confirm } from "./confirm";
import { Dialog } from "./dialog";
import { UnsavedGuard } from "./unsaved";

export interface FormDialogProps {
  readonly title: string;
  readonly size?: ModalProps["size"];
  /** whether something would be lost */
  readonly changed: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog({ title, size = "md", changed, onClose, children }: FormDialogProps) {
  const [asking, setAsking] = useState(false);
  // after the event: both dialogs listen to the same Escape, which must not open the question and answer it
  const ask = (next: boolean) => setTimeout(() => setAsking(next));
  return (
    <Dialog
      opened
      onClose={() => (changed ? ask(true) : onClose())}
      title={title}
      size={size}
      // Escape then answers the question, which stands above
      closeOnEscape={!asking}
    >
      <UnsavedGuard draft={changed} />
      {children}
      <Confirm
        opened={asking}
        title={t("Close this dialog?")}
        action={t("Close")}
        cancel={t("Stay")}
        onConfirm={onClose}
        onClose={() => ask(false)}
      >
        {t("Your changes would be lost.")}
      </Confirm>
    </Dialog>
  );
}
