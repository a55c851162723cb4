import { SegmentedControl, Select, TextInput } from "@mantine/core";
import { AUTOMATIC, DISABLED, INVENTORY_FIELDS, MANUAL } from "@/api/inventory";
import { makeMassCalls } from "@/api/mass";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import {
  descriptionField,
  enabledField,
  groupsField,
  linksField,
  macrosField,
} from "@/widgets/mass/fields";
import { MassDialog, type MassField, type MassParts } from "@/widgets/mass/mass-dialog";
import { type HostMassFields, hostMassCalls, NO_MASS } from "./host-mass";

export interface HostMassDialogProps {
  readonly hostids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export const HostMassDialog = asDialog(({ hostids, onDone, onClose }: HostMassDialogProps) => (
  <MassDialog
    object="host"
    ids={hostids}
    title={plural(hostids.length, "Update 1 host", "Update {n} hosts")}
    done={plural(hostids.length, "1 host updated", "{n} hosts updated")}
    first={NO_MASS}
    apply={(fields, ticked) => makeMassCalls(hostMassCalls(hostids, fields, ticked))}
    fields={(parts) => [
      groupsField(parts, "hostgroup"),
      linksField(parts, t("Templates")),
      macrosField(parts),
      enabledField(parts, t("Monitored"), t("Hosts are monitored")),
      descriptionField(parts),
      inventoryMode(parts),
      inventoryField(parts),
    ]}
    onDone={onDone}
    onClose={onClose}
  />
));

function inventoryMode({ fields, set }: MassParts<HostMassFields>): MassField {
  return {
    id: "inventory",
    label: t("Inventory mode"),
    editor: (
      <SegmentedControl
        aria-label={t("New inventory mode")}
        value={fields.inventoryMode}
        onChange={(mode) => set({ inventoryMode: mode })}
        data={[
          { value: DISABLED, label: t("None") },
          { value: MANUAL, label: t("Manually") },
          { value: AUTOMATIC, label: t("Filled by items") },
        ]}
      />
    ),
  };
}

function inventoryField({ fields, set }: MassParts<HostMassFields>): MassField {
  return {
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
  };
}
