import { copyValueMaps, makeMassCalls, removeValueMaps } from "@/api/mass";
import type { Id } from "@/api/types";
import { fetchValueMapsOf } from "@/api/value-maps";
import { plural, t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { descriptionField, groupsField, linksField, macrosField } from "@/widgets/mass/fields";
import { MassDialog } from "@/widgets/mass/mass-dialog";
import {
  NO_VALUE_MAPS,
  ValueMapsField,
  type ValueMapsFields,
} from "@/widgets/mass/value-maps-field";
import { NO_TEMPLATE_MASS, type TemplateMassFields, templateMassCalls } from "./template-mass";

export interface TemplateMassDialogProps {
  readonly templateids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface Fields extends TemplateMassFields {
  readonly valueMaps: ValueMapsFields;
}

const FIRST: Fields = { ...NO_TEMPLATE_MASS, valueMaps: NO_VALUE_MAPS };

export const TemplateMassDialog = asDialog(TemplateMassDialogBody);

function TemplateMassDialogBody({ templateids, onDone, onClose }: TemplateMassDialogProps) {
  return (
    <MassDialog
      object="template"
      ids={templateids}
      title={plural(templateids.length, "Update 1 template", "Update {n} templates")}
      done={plural(templateids.length, "1 template updated", "{n} templates updated")}
      first={FIRST}
      apply={async (fields, ticked) => {
        await makeMassCalls(templateMassCalls(templateids, fields, ticked));
        if (ticked.has("valuemaps")) await changeValueMaps(templateids, fields.valueMaps);
      }}
      fields={(parts) => [
        linksField(parts, t("Linked templates")),
        groupsField(parts, "templategroup"),
        macrosField(parts),
        descriptionField(parts),
        {
          id: "valuemaps",
          label: t("Value maps"),
          editor: (
            <ValueMapsField
              fields={parts.fields.valueMaps}
              onChange={(valueMaps) => parts.set({ valueMaps })}
            />
          ),
        },
      ]}
      onDone={onDone}
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
