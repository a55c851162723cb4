// What is stored of items is deleted; the items stay.

import { Button } from "@mantine/core";
import { IconEraser } from "@tabler/icons-react";
import { useState } from "react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { useItemMutations } from "./queries";

export interface ClearHistoryProps {
  readonly itemid: Id;
  readonly name: string;
}

/** The button of an item's page. */
export function ClearHistory({ itemid, name }: ClearHistoryProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconEraser size={14} />}
        onClick={() => setOpened(true)}
      >
        {t("Clear history and trends")}
      </Button>
      <ConfirmClear
        itemids={[itemid]}
        title={t("Clear history and trends of {name}?", { name })}
        opened={opened}
        onClose={() => setOpened(false)}
        onDone={() => undefined}
      />
    </>
  );
}

export interface ConfirmClearProps {
  readonly itemids: readonly Id[];
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ConfirmClear({ itemids, title, opened, onClose, onDone }: ConfirmClearProps) {
  const { clear } = useItemMutations(() => {
    onClose();
    onDone();
  });
  return (
    <Confirm
      opened={opened}
      title={title}
      action={t("Clear")}
      busy={clear.isPending}
      onConfirm={() => clear.mutate(itemids)}
      onClose={onClose}
    >
      {t("All values stored up to now are deleted. This cannot be undone.")}
    </Confirm>
  );
}
