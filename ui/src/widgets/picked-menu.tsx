// What can be done with the rows that are picked in a list.

import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { StoredObject } from "@/api/rights";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { useLock } from "@/ui/rights";

export interface PickedMenuProps {
  /** of what they are, for the rights to change and delete them */
  readonly object: StoredObject;
  /** of those that are picked, those that the user may not change: then none is offered to be; null: not known yet */
  readonly readOnly?: readonly Id[] | null;
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

const NONE: readonly Id[] = [];

export function PickedMenu(props: PickedMenuProps) {
  const { object, readOnly = NONE, label, onStatus, onDelete, deleting } = props;
  const { deleteTitle, deleteNote, children, always } = props;
  const [asking, setAsking] = useState(false);
  const isLocked = useLock(`${object}.update`) !== undefined;
  const mayChange = !isLocked && readOnly?.length === 0;
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
          {mayChange && onStatus !== undefined ? (
            <>
              <Menu.Item onClick={() => onStatus(0)}>{t("Enable")}</Menu.Item>
              <Menu.Item onClick={() => onStatus(1)}>{t("Disable")}</Menu.Item>
            </>
          ) : null}
          {mayChange ? children : null}
          {always}
          {mayChange ? (
            <Menu.Item color="red" c="var(--bad-text)" onClick={() => setAsking(true)}>
              {t("Delete …")}
            </Menu.Item>
          ) : null}
          {isLocked ? null : <WhyNot readOnly={readOnly} />}
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

function WhyNot({ readOnly }: { readonly readOnly: readonly Id[] | null }) {
  if (readOnly === null) return <Menu.Label>{t("Loading")}</Menu.Label>;
  if (readOnly.length === 0) return null;
  return (
    <Menu.Label>
      {plural(readOnly.length, "You cannot change 1 of them.", "You cannot change {n} of them.")}
    </Menu.Label>
  );
}
