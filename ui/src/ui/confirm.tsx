import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "@/lib/i18n";
import { Dialog } from "./dialog";
import classes from "./form.module.css";

export interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  readonly action: string;
  /** what the other button says; Enter then means this one */
  readonly cancel?: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** For what cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { opened, title, action, busy = false, onConfirm, onClose, children } = props;
  const { cancel } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="sm">
      <p>{children}</p>
      <div className={classes["footer"]}>
        <Button
          variant="default"
          onClick={onClose}
          data-autofocus={cancel !== undefined || undefined}
        >
          {cancel ?? t("Cancel")}
        </Button>
        <Button
          // the lighter red is too pale for its white text
          color="red.9"
          loading={busy}
          onClick={onConfirm}
          data-autofocus={cancel === undefined || undefined}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
