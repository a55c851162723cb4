// A dialog whose errors stay in it. Its page is never lost by what a dialog shows.

import { Modal, type ModalProps } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import { t } from "@/lib/i18n";
import { Guard } from "./guard";
import { BrokenState } from "./states";

/** Mantine's dialog; an error of its content stands in it, and what the dialog itself keeps (typed texts) stays. */
export function Dialog({ children, ...props }: ModalProps) {
  return (
    <Modal {...props}>
      <Guard>{children}</Guard>
    </Modal>
  );
}

export interface ClosedProps {
  readonly onClose: () => void;
}

/** The component of a dialog: an error while it prepares its content is shown in a dialog as well. */
export function asDialog<P extends ClosedProps>(Body: ComponentType<P>): (props: P) => ReactNode {
  return function GuardedDialog(props: P) {
    return (
      <Guard
        fallback={(error, again) => (
          <Modal opened onClose={props.onClose} title={t("Error")}>
            <BrokenState error={error} onRetry={again} />
          </Modal>
        )}
      >
        <Body {...props} />
      </Guard>
    );
  };
}
