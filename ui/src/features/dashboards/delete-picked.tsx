// Deletes the dashboards that are picked in a list.

import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { useDeleteDashboards } from "./queries";

export interface DeletePickedProps {
  readonly of: "users" | "templates";
  readonly ids: readonly Id[];
  readonly onDone: () => void;
  /** the consequence */
  readonly children: ReactNode;
}

export function DeletePicked({ of, ids, onDone, children }: DeletePickedProps) {
  const [asked, setAsked] = useState(false);
  const remove = useDeleteDashboards(of, () => {
    onDone();
    setAsked(false);
  });
  return (
    <>
      {ids.length === 0 ? null : (
        <Button
          variant="default"
          leftSection={<IconTrash size={14} />}
          onClick={() => setAsked(true)}
        >
          {t("Delete")}
        </Button>
      )}
      <Confirm
        opened={asked}
        title={plural(ids.length, "Delete the dashboard?", "Delete {n} dashboards?")}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate([...ids])}
        onClose={() => setAsked(false)}
      >
        {children}
      </Confirm>
    </>
  );
}
