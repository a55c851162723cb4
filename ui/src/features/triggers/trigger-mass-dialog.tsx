import { Select, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { changeFields, changeTags } from "@/api/mass";
import type { Id, Tag } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { SEVERITIES, severityName, toSeverity } from "@/lib/severity";
import { asDialog } from "@/ui/dialog";
import { notifyDone } from "@/ui/notify";
import type { Keyed } from "@/widgets/keyed";
import { HowSelect } from "@/widgets/mass/how-select";
import { MassDialog } from "@/widgets/mass/mass-dialog";
import { changedTags, type How } from "@/widgets/mass/tags";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";

export interface TriggerMassDialogProps {
  readonly triggerids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface Fields {
  readonly severity: string;
  readonly manualClose: boolean;
  readonly enabled: boolean;
  readonly tagsHow: How;
  readonly tags: readonly Keyed<Tag>[];
}

const FIRST: Fields = {
  severity: "3",
  manualClose: true,
  enabled: true,
  tagsHow: "add",
  tags: [],
};

export const TriggerMassDialog = asDialog(TriggerMassDialogBody);

function TriggerMassDialogBody({ triggerids, onDone, onClose }: TriggerMassDialogProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(FIRST);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }));
  const apply = useMutation({
    mutationFn: async () => {
      await changeFields("trigger", triggerids, {
        ...(picked.has("severity") ? { priority: Number(fields.severity) } : {}),
        ...(picked.has("manualClose") ? { manual_close: fields.manualClose ? 1 : 0 } : {}),
        ...(picked.has("status") ? { status: fields.enabled ? 0 : 1 } : {}),
      });
      if (!picked.has("tags")) return;
      const given = cleanTags(fields.tags);
      await changeTags("trigger", triggerids, (before) =>
        changedTags(before, fields.tagsHow, given),
      );
    },
    onSuccess: () => {
      notifyDone(plural(triggerids.length, "1 trigger updated", "{n} triggers updated"));
      onDone();
    },
    onSettled: () => void changed(client, "trigger"),
  });
  return (
    <MassDialog
      title={plural(triggerids.length, "Update 1 trigger", "Update {n} triggers")}
      fields={[
        {
          id: "severity",
          label: t("Severity"),
          editor: (
            <Select
              aria-label={t("New severity")}
              data={SEVERITIES.map((it) => ({ value: String(it), label: severityName(it) }))}
              value={fields.severity}
              allowDeselect={false}
              onChange={(severity) => set({ severity: String(toSeverity(severity)) })}
            />
          ),
        },
        {
          id: "manualClose",
          label: t("Allow manual close"),
          editor: (
            <Switch
              aria-label={t("Allow manual close")}
              checked={fields.manualClose}
              onChange={(event) => set({ manualClose: event.currentTarget.checked })}
            />
          ),
        },
        {
          id: "status",
          label: t("Enabled"),
          editor: (
            <Switch
              aria-label={t("Enabled")}
              checked={fields.enabled}
              onChange={(event) => set({ enabled: event.currentTarget.checked })}
            />
          ),
        },
        {
          id: "tags",
          label: t("Tags"),
          editor: (
            <>
              <HowSelect
                label={t("Tags: mode")}
                value={fields.tagsHow}
                onChange={(tagsHow) => set({ tagsHow })}
              />
              <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
            </>
          ),
        },
      ]}
      picked={picked}
      onPicked={setPicked}
      busy={apply.isPending}
      error={apply.error}
      onApply={() => apply.mutate()}
      onClose={onClose}
    />
  );
}
