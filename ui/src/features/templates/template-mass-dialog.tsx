import { SegmentedControl, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { changeTags, copyValueMaps, makeMassCalls, removeValueMaps } from "@/api/mass";
import type { Id, Tag } from "@/api/types";
import { fetchValueMapsOf } from "@/api/value-maps";
import { plural, t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { notifyDone } from "@/ui/notify";
import type { Keyed } from "@/widgets/keyed";
import { MacroEditor } from "@/widgets/macro-editor";
import { HowSelect } from "@/widgets/mass/how-select";
import { MassDialog, type MassField } from "@/widgets/mass/mass-dialog";
import { changedTags } from "@/widgets/mass/tags";
import {
  NO_VALUE_MAPS,
  ValueMapsField,
  type ValueMapsFields,
} from "@/widgets/mass/value-maps-field";
import { GroupPicker, TemplatePicker } from "@/widgets/pickers";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";
import {
  type LinkHow,
  NO_TEMPLATE_MASS,
  type TemplateMassFields,
  templateMassCalls,
} from "./template-mass";

export interface TemplateMassDialogProps {
  readonly templateids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export const TemplateMassDialog = asDialog(TemplateMassDialogBody);

function TemplateMassDialogBody({ templateids, onDone, onClose }: TemplateMassDialogProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState<TemplateMassFields>(NO_TEMPLATE_MASS);
  const [tags, setTags] = useState<readonly Keyed<Tag>[]>([]);
  const [valueMaps, setValueMaps] = useState<ValueMapsFields>(NO_VALUE_MAPS);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const set = (change: Partial<TemplateMassFields>) =>
    setFields((before) => ({ ...before, ...change }));
  const apply = useMutation({
    mutationFn: async () => {
      await makeMassCalls(templateMassCalls(templateids, fields, picked));
      if (picked.has("valuemaps")) await changeValueMaps(templateids, valueMaps);
      if (!picked.has("tags")) return;
      const given = cleanTags(tags);
      const { tagsHow } = fields;
      await changeTags("template", templateids, (before) => changedTags(before, tagsHow, given));
    },
    onSuccess: () => {
      notifyDone(plural(templateids.length, "1 template updated", "{n} templates updated"));
      onDone();
    },
    // of several calls the first ones may be made
    onSettled: () => {
      void changed(client, "template");
      if (picked.has("valuemaps")) void changed(client, "valuemap");
    },
  });
  const tagField: MassField = {
    id: "tags",
    label: t("Tags"),
    editor: (
      <>
        <HowSelect
          label={t("Tags: mode")}
          value={fields.tagsHow}
          onChange={(tagsHow) => set({ tagsHow })}
        />
        <TagEditor tags={tags} onChange={setTags} />
      </>
    ),
  };
  const valueMapField: MassField = {
    id: "valuemaps",
    label: t("Value maps"),
    editor: <ValueMapsField fields={valueMaps} onChange={setValueMaps} />,
  };
  return (
    <MassDialog
      title={plural(templateids.length, "Update 1 template", "Update {n} templates")}
      fields={[...massFields(fields, set), tagField, valueMapField]}
      picked={picked}
      onPicked={setPicked}
      busy={apply.isPending}
      error={apply.error}
      onApply={() => apply.mutate()}
      onClose={onClose}
    />
  );
}

async function changeValueMaps(
  templateids: readonly Id[],
  { how, from, names, removed }: ValueMapsFields,
): Promise<void> {
  if (how === "remove") {
    if (removed.length > 0) await removeValueMaps(templateids, removed);
    return;
  }
  if (from === undefined) return;
  const all = await fetchValueMapsOf(from);
  const chosen = names === undefined ? all : all.filter(({ name }) => names.includes(name));
  const others = templateids.filter((it) => it !== from);
  if (chosen.length > 0 && others.length > 0) await copyValueMaps(others, chosen);
}

function massFields(
  fields: TemplateMassFields,
  set: (change: Partial<TemplateMassFields>) => void,
): readonly MassField[] {
  return [
    {
      id: "links",
      label: t("Linked templates"),
      editor: (
        <>
          <SegmentedControl
            aria-label={t("Linked templates: how")}
            value={fields.linksHow}
            onChange={(how) => set({ linksHow: how as LinkHow })}
            data={[
              { value: "link", label: t("Link") },
              { value: "replace", label: t("Replace") },
              { value: "unlink", label: t("Unlink") },
              { value: "clear", label: t("Unlink and clear") },
            ]}
          />
          <TemplatePicker
            label=""
            placeholder={t("Templates to choose")}
            value={fields.linkids}
            onChange={(linkids) => set({ linkids })}
          />
        </>
      ),
    },
    {
      id: "groups",
      label: t("Template groups"),
      editor: (
        <>
          <HowSelect
            label={t("Template groups: how")}
            value={fields.groupsHow}
            onChange={(groupsHow) => set({ groupsHow })}
          />
          <GroupPicker
            kind="templategroup"
            label=""
            placeholder={t("Groups")}
            value={fields.groupids}
            onChange={(groupids) => set({ groupids })}
          />
        </>
      ),
    },
    {
      id: "macros",
      label: t("Macros"),
      editor: (
        <>
          <HowSelect
            label={t("Macros: mode")}
            value={fields.macrosHow}
            onChange={(macrosHow) => set({ macrosHow })}
          />
          <MacroEditor macros={fields.macros} onChange={(macros) => set({ macros })} />
        </>
      ),
    },
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
  ];
}
