// A menu over the rows that are picked in a list, which saves them as a file.

import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ExportKind } from "@/api/configuration";
import type { Id } from "@/api/types";
import { ExportItems } from "./export-items";

export interface PickedExportProps {
  readonly kind: ExportKind;
  /** ids of the rows that are shown */
  readonly shown: readonly Id[];
  readonly picked: ReadonlySet<Id>;
  /** how many of what */
  readonly label: (n: number) => string;
}

/** Of what is picked, that which is shown; nothing if there is none. */
export function PickedExport({ kind, shown, picked, label }: PickedExportProps) {
  const ids = shown.filter((id) => picked.has(id));
  if (ids.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} />}>
          {label(ids.length)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ExportItems kind={kind} ids={ids} />
      </Menu.Dropdown>
    </Menu>
  );
}
