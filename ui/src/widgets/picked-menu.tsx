// What can be done with the rows that are picked in a list.

import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";

export interface PickedMenuProps {
  /** how many of what */
  readonly label: string;
  /** left out of what is never disabled */
  readonly onStatus?: ((status: 0 | 1) => void) | undefined;
  readonly onDelete: () => void;
  readonly deleting: boolean;
  readonly deleteTitle: string;
  /** what goes with them */
  readonly deleteNote: string;
  /** more entries, before the one that deletes */
  readonly children?: ReactNode;
}

export function PickedMenu(props: PickedMenuProps) {
  const { label, onStatus, onDelete, deleting, deleteTitle, deleteNote, children } = props;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {onStatus === undefined ? null : (
            <>
              <Menu.Item onClick={() => onStatus(0)}>{t("Enable")}</Menu.Item>
              <Menu.Item onClick={() => onStatus(1)}>{t("Disable")}</Menu.Item>
            </>
          )}
          {children}
          <Menu.Item color="red" c="var(--bad-text)" onClick={() => setAsking(true)}>
            {t("Delete …")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        title={deleteTitle}
        action={t("Delete")}
        busy={deleting}
        onConfirm={onDelete}
        onClose={() => setAsking(false)}
      >
        {deleteNote}
      </Confirm>
    </>
  );
}
