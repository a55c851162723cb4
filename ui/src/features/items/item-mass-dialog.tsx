import { TextInput } from "@mantine/core";
import { changeFields } from "@/api/mass";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { CheckedInput } from "@/ui/checked-input";
import { asDialog } from "@/ui/dialog";
import { descriptionField, enabledField } from "@/widgets/mass/fields";
import { MassDialog, type MassField, type MassParts } from "@/widgets/mass/mass-dialog";

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
}

const FIRST: Fields = {
  delay: "1m",
  history: "31d",
  trends: "365d",
  units: "",
  timeout: "",
  description: "",
  enabled: true,
};

const SENT = ["delay", "history", "trends", "units", "timeout", "description"] as const;

function changeOf(fields: Fields, ticked: ReadonlySet<string>) {
  const sent = SENT.filter((it) => ticked.has(it)).map((it) => [it, fields[it].trim()]);
  const status = ticked.has("status") ? { status: fields.enabled ? 0 : 1 } : {};
  return { ...Object.fromEntries(sent), ...status };
}

export const ItemMassDialog = asDialog(({ itemids, onDone, onClose }: ItemMassDialogProps) => (
  <MassDialog
    object="item"
    ids={itemids}
    title={plural(itemids.length, "Update 1 item", "Update {n} items")}
    done={plural(itemids.length, "1 item updated", "{n} items updated")}
    first={FIRST}
    apply={(fields, ticked) => changeFields("item", itemids, changeOf(fields, ticked))}
    fields={(parts) => [
      periodField(parts, "delay", t("Interval")),
      periodField(parts, "history", t("History")),
      periodField(parts, "trends", t("Trends")),
      textField(parts, "units", t("Units")),
      textField(parts, "timeout", t("Timeout")),
      descriptionField(parts),
      enabledField(parts, t("Enabled"), t("Items are enabled")),
    ]}
    onDone={onDone}
    onClose={onClose}
  />
));

function textField(
  { fields, set }: MassParts<Fields>,
  name: "units" | "timeout",
  label: string,
): MassField {
  return {
    id: name,
    label,
    editor: (
      <TextInput
        aria-label={t("New value of {name}", { name: label })}
        value={fields[name]}
        onChange={(event) => set({ [name]: event.currentTarget.value })}
      />
    ),
  };
}

function periodField(
  { fields, set }: MassParts<Fields>,
  name: "delay" | "history" | "trends",
  label: string,
): MassField {
  return {
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
  };
}
