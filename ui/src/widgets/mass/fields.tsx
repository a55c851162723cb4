// Fields that mass updates of several kinds of objects have.

import { SegmentedControl, Switch, Textarea } from "@mantine/core";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { type MacroDraft, MacroEditor } from "@/widgets/macro-editor";
import { GroupPicker, type GroupPickerProps, TemplatePicker } from "@/widgets/pickers";
import { HowSelect } from "./how-select";
import type { MassField, MassParts } from "./mass-dialog";
import type { How } from "./tags";

export interface DescriptionMass {
  readonly description: string;
}

export function descriptionField({ fields, set }: MassParts<DescriptionMass>): MassField {
  return {
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
  };
}

export interface EnabledMass {
  readonly enabled: boolean;
}

/** `name`: of the switch. */
export function enabledField(
  { fields, set }: MassParts<EnabledMass>,
  label: string,
  name: string,
): MassField {
  return {
    id: "status",
    label,
    editor: (
      <Switch
        aria-label={name}
        checked={fields.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
    ),
  };
}

export interface GroupsMass {
  readonly groupsHow: How;
  readonly groupids: readonly Id[];
}

export function groupsField(
  { fields, set }: MassParts<GroupsMass>,
  kind: GroupPickerProps["kind"],
): MassField {
  const isHost = kind === "hostgroup";
  return {
    id: "groups",
    label: isHost ? t("Host groups") : t("Template groups"),
    editor: (
      <>
        <HowSelect
          label={isHost ? t("Host groups: mode") : t("Template groups: mode")}
          value={fields.groupsHow}
          onChange={(groupsHow) => set({ groupsHow })}
        />
        <GroupPicker
          kind={kind}
          label=""
          placeholder={t("Groups")}
          value={fields.groupids}
          onChange={(groupids) => set({ groupids })}
        />
      </>
    ),
  };
}

export type LinkHow = "link" | "replace" | "unlink" | "clear";

export interface LinksMass {
  readonly templatesHow: LinkHow;
  readonly templateids: readonly Id[];
}

export function linksField({ fields, set }: MassParts<LinksMass>, label: string): MassField {
  return {
    id: "templates",
    label,
    editor: (
      <>
        <SegmentedControl
          aria-label={t("Templates: mode")}
          value={fields.templatesHow}
          onChange={(how) => set({ templatesHow: how as LinkHow })}
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
  };
}

export interface MacrosMass {
  readonly macrosHow: How;
  readonly macros: readonly MacroDraft[];
}

export function macrosField({ fields, set }: MassParts<MacrosMass>): MassField {
  return {
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
  };
}
