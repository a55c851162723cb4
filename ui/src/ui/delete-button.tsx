import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { t } from "@/lib/i18n";
import { Confirm } from "./confirm";

export interface DeleteButtonProps {
  readonly label: string;
  /** of what is deleted */
  readonly name: string;
  readonly busy: boolean;
  readonly onDelete: () => void;
  /** what goes with it */
  readonly children: ReactNode;
}

/** Asks before it deletes. */
export function DeleteButton({ label, name, busy, onDelete, children }: DeleteButtonProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="subtle" color="red" c="var(--bad-text)" onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Confirm
        opened={opened}
        title={t("Delete {name}?", { name })}
        action={t("Delete")}
        busy={busy}
        onConfirm={onDelete}
        onClose={() => setOpened(false)}
      >
        {children}
      </Confirm>
    </>
  );
}
