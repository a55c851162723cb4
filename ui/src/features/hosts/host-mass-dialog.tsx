import { SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changed } from "@/api/changes";
import { AUTOMATIC, DISABLED, INVENTORY_FIELDS, MANUAL } from "@/api/inventory";
import { changeTags, makeMassCalls } from "@/api/mass";
import type { Id, Tag } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { notifyDone } from "@/ui/notify";
import type { Keyed } from "@/widgets/keyed";
import { MacroEditor } from "@/widgets/macro-editor";
import { HowSelect } from "@/widgets/mass/how-select";
import { MassDialog, type MassField } from "@/widgets/mass/mass-dialog";
import { changedTags } from "@/widgets/mass/tags";
import { GroupPicker, TemplatePicker } from "@/widgets/pickers";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";
import { type HostMassFields, hostMassCalls, NO_MASS, type TemplateHow } from "./host-mass";

export interface HostMassDialogProps {
  readonly hostids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export const HostMassDialog = asDialog(HostMassDialogBody);

function HostMassDialogBody({ hostids, onDone, onClose }: HostMassDialogProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState<HostMassFields>(NO_MASS);
  const [tags, setTags] = useState<readonly Keyed<Tag>[]>([]);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const set = (change: Partial<HostMassFields>) =>
    setFields((before) => ({ ...before, ...change }));
  const apply = useMutation({
    mutationFn: async () => {
      await makeMassCalls(hostMassCalls(hostids, fields, picked));
      if (!picked.has("tags")) return;
      const given = cleanTags(tags);
      await changeTags("host", hostids, (before) => changedTags(before, fields.tagsHow, given));
    },
    onSuccess: () => {
      notifyDone(plural(hostids.length, "1 host updated", "{n} hosts updated"));
      onDone();
    },
    // of several calls the first ones may be made
    onSettled: () => void changed(client, "host"),
  });
  return (
    <MassDialog
      title={plural(hostids.length, "Update 1 host", "Update {n} hosts")}
      fields={[...massFields(fields, set), tagField(fields, set, tags, setTags)]}
      picked={picked}
      onPicked={setPicked}
      busy={apply.isPending}
      error={apply.error}
      onApply={() => apply.mutate()}
      onClose={onClose}
    />
  );
}

type SetFields = (change: Partial<HostMassFields>) => void;

function tagField(
  { tagsHow }: HostMassFields,
  set: SetFields,
  tags: readonly Keyed<Tag>[],
  onTags: (tags: readonly Keyed<Tag>[]) => void,
): MassField {
  return {
    id: "tags",
    label: t("Tags"),
    editor: (
      <>
        <HowSelect
          label={t("Tags: mode")}
          value={tagsHow}
          onChange={(how) => set({ tagsHow: how })}
        />
        <TagEditor tags={tags} onChange={onTags} />
      </>
    ),
  };
}

function massFields(fields: HostMassFields, set: SetFields): readonly MassField[] {
  return [
    {
      id: "groups",
      label: t("Host groups"),
      editor: (
        <>
          <HowSelect
            label={t("Host groups: mode")}
            value={fields.groupsHow}
            onChange={(groupsHow) => set({ groupsHow })}
          />
          <GroupPicker
            kind="hostgroup"
            label=""
            placeholder={t("Groups")}
            value={fields.groupids}
            onChange={(groupids) => set({ groupids })}
          />
        </>
      ),
    },
    {
      id: "templates",
      label: t("Templates"),
      editor: (
        <>
          <SegmentedControl
            aria-label={t("Templates: mode")}
            value={fields.templatesHow}
            onChange={(how) => set({ templatesHow: how as TemplateHow })}
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
            value={fields.templateids}
            onChange={(templateids) => set({ templateids })}
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
      id: "status",
      label: t("Monitored"),
      editor: (
        <Switch
          aria-label={t("Hosts are monitored")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
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
    {
      id: "inventory",
      label: t("Inventory mode"),
      editor: (
        <SegmentedControl
          aria-label={t("New inventory mode")}
          value={fields.inventoryMode}
          onChange={(inventoryMode) => set({ inventoryMode })}
          data={[
            { value: DISABLED, label: t("None") },
            { value: MANUAL, label: t("Manually") },
            { value: AUTOMATIC, label: t("Filled by items") },
          ]}
        />
      ),
    },
    {
      id: "inventoryField",
      label: t("Inventory field"),
      editor: (
        <>
          <Select
            aria-label={t("Field of the inventory")}
            searchable
            data={INVENTORY_FIELDS.map(({ name, title }) => ({ value: name, label: title }))}
            value={fields.inventoryField === "" ? null : fields.inventoryField}
            onChange={(field) => set({ inventoryField: field ?? "" })}
          />
          <TextInput
            aria-label={t("Value of the field")}
            value={fields.inventoryValue}
            onChange={(event) => set({ inventoryValue: event.currentTarget.value })}
          />
        </>
      ),
    },
  ];
}
