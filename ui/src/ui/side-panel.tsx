// Details next to a list: no dialog, the list and its keys stay usable.

import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { t } from "@/lib/i18n";
import { Guard } from "./guard";
import classes from "./side-panel.module.css";

export interface SidePanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function SidePanel({ title, onClose, children }: SidePanelProps) {
  return (
    <aside className={classes["panel"]} aria-label={title}>
      <header className={classes["header"]}>
        <h2>{title}</h2>
        <ActionIcon aria-label={t("Close details")} onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </header>
      <div className={classes["body"]}>
        <Guard>{children}</Guard>
      </div>
    </aside>
  );
}
