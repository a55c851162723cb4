import { Switch, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { changeFields, changeTags } from "@/api/mass";
import type { Id, Tag } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { CheckedInput } from "@/ui/checked-input";
import { asDialog } from "@/ui/dialog";
import { notifyDone } from "@/ui/notify";
import type { Keyed } from "@/widgets/keyed";
import { HowSelect } from "@/widgets/mass/how-select";
import { MassDialog } from "@/widgets/mass/mass-dialog";
import { changedTags, type How } from "@/widgets/mass/tags";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";

export interface ItemMassDialogProps {
  readonly itemids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface Fields {
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  readonly units: string;
  readonly timeout: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly tagsHow: How;
  readonly tags: readonly Keyed<Tag>[];
}

const FIRST: Fields = {
  delay: "1m",
  history: "31d",
  trends: "365d",
  units: "",
  timeout: "",
  description: "",
  enabled: true,
  tagsHow: "add",
  tags: [],
};

const SENT = ["delay", "history", "trends", "units", "timeout", "description"] as const;

export const ItemMassDialog = asDialog(ItemMassDialogBody);

function ItemMassDialogBody({ itemids, onDone, onClose }: ItemMassDialogProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(FIRST);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }));
  const apply = useMutation({
    mutationFn: async () => {
      const sent = SENT.filter((it) => picked.has(it)).map((it) => [it, fields[it].trim()]);
      const status = picked.has("status") ? { status: fields.enabled ? 0 : 1 } : {};
      await changeFields("item", itemids, { ...Object.fromEntries(sent), ...status });
      if (!picked.has("tags")) return;
      const given = cleanTags(fields.tags);
      await changeTags("item", itemids, (before) => changedTags(before, fields.tagsHow, given));
    },
    onSuccess: () => {
      notifyDone(plural(itemids.length, "1 item updated", "{n} items updated"));
      onDone();
    },
    onSettled: () => void changed(client, "item"),
  });
  const text = (name: (typeof SENT)[number], label: string) => ({
    id: name,
    label,
    editor: (
      <TextInput
        aria-label={t("New value of {name}", { name: label })}
        value={fields[name]}
        onChange={(event) => set({ [name]: event.currentTarget.value })}
      />
    ),
  });
  const period = (name: "delay" | "history" | "trends", label: string) => ({
    id: name,
    label,
    editor: (
      <CheckedInput
        label={t("New value of {name}", { name: label })}
        value={fields[name]}
        onChange={(value) => set({ [name]: value })}
        check={name === "delay" ? checkInterval : checkPeriod}
        showAll
      />
    ),
  });
  return (
    <MassDialog
      title={plural(itemids.length, "Update 1 item", "Update {n} items")}
      fields={[
        period("delay", t("Interval")),
        period("history", t("History")),
        period("trends", t("Trends")),
        text("units", t("Units")),
        text("timeout", t("Timeout")),
        {
          id: "description",
          label: t("Description"),
          editor: (
            <Textarea
              aria-label={t("New description")}
              rows={2}
              value={fields.description}
              onChange={(event) => set({ description: event.currentTarget.value })}
            />
          ),
        },
        {
          id: "status",
          label: t("Enabled"),
          editor: (
            <Switch
              aria-label={t("Items are enabled")}
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
