// What can be done with the rows that are picked in a list.

import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { StoredObject } from "@/api/rights";
import { plural, t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { useLock } from "@/ui/rights";

export interface PickedMenuProps {
  /** of what they are, for the rights to change and delete them */
  readonly object: StoredObject;
  /** of those that are picked, how many the user may not change: then none is offered to be */
  readonly readOnly?: number;
  /** how many of what */
  readonly label: string;
  /** left out of what is never disabled */
  readonly onStatus?: ((status: 0 | 1) => void) | undefined;
  readonly onDelete: () => void;
  readonly deleting: boolean;
  readonly deleteTitle: string;
  /** what goes with them */
  readonly deleteNote: string;
  /** more entries that change them, before the one that deletes */
  readonly children?: ReactNode;
  /** entries for those as well who may not change them */
  readonly always?: ReactNode;
}

export function PickedMenu(props: PickedMenuProps) {
  const { object, readOnly = 0, label, onStatus, onDelete, deleting } = props;
  const { deleteTitle, deleteNote, children, always } = props;
  const [asking, setAsking] = useState(false);
  const isLocked = useLock(`${object}.update`) !== undefined;
  if (isLocked && always === undefined) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {isLocked || readOnly > 0 || onStatus === undefined ? null : (
            <>
              <Menu.Item onClick={() => onStatus(0)}>{t("Enable")}</Menu.Item>
              <Menu.Item onClick={() => onStatus(1)}>{t("Disable")}</Menu.Item>
            </>
          )}
          {isLocked || readOnly > 0 ? null : children}
          {always}
          {isLocked || readOnly > 0 ? null : (
            <Menu.Item color="red" c="var(--bad-text)" onClick={() => setAsking(true)}>
              {t("Delete …")}
            </Menu.Item>
          )}
          {isLocked || readOnly === 0 ? null : (
            <Menu.Label>
              {plural(readOnly, "You may not change 1 of them.", "You may not change {n} of them.")}
            </Menu.Label>
          )}
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
