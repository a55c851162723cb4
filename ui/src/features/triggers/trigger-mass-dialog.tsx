import { Select, Switch } from "@mantine/core";
import { changeFields } from "@/api/mass";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { SEVERITIES, severityName, toSeverity } from "@/lib/severity";
import { asDialog } from "@/ui/dialog";
import { enabledField } from "@/widgets/mass/fields";
import { MassDialog, type MassField, type MassParts } from "@/widgets/mass/mass-dialog";

export interface TriggerMassDialogProps {
  readonly triggerids: readonly Id[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface Fields {
  readonly severity: string;
  readonly manualClose: boolean;
  readonly enabled: boolean;
}

const FIRST: Fields = { severity: "3", manualClose: true, enabled: true };

function changeOf(fields: Fields, ticked: ReadonlySet<string>) {
  return {
    ...(ticked.has("severity") ? { priority: Number(fields.severity) } : {}),
    ...(ticked.has("manualClose") ? { manual_close: fields.manualClose ? 1 : 0 } : {}),
    ...(ticked.has("status") ? { status: fields.enabled ? 0 : 1 } : {}),
  };
}

export const TriggerMassDialog = asDialog(
  ({ triggerids, onDone, onClose }: TriggerMassDialogProps) => (
    <MassDialog
      object="trigger"
      ids={triggerids}
      title={plural(triggerids.length, "Update 1 trigger", "Update {n} triggers")}
      done={plural(triggerids.length, "1 trigger updated", "{n} triggers updated")}
      first={FIRST}
      apply={(fields, ticked) => changeFields("trigger", triggerids, changeOf(fields, ticked))}
      fields={(parts) => [
        severityField(parts),
        manualCloseField(parts),
        enabledField(parts, t("Enabled"), t("Enabled")),
      ]}
      onDone={onDone}
      onClose={onClose}
    />
  ),
);

function severityField({ fields, set }: MassParts<Fields>): MassField {
  return {
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
  };
}

function manualCloseField({ fields, set }: MassParts<Fields>): MassField {
  return {
    id: "manualClose",
    label: t("Allow manual close"),
    editor: (
      <Switch
        aria-label={t("Allow manual close")}
        checked={fields.manualClose}
        onChange={(event) => set({ manualClose: event.currentTarget.checked })}
      />
    ),
  };
}
