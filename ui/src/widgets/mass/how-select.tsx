import { SegmentedControl } from "@mantine/core";
import { t } from "@/lib/i18n";
import type { How } from "./tags";

const NAMES: Readonly<Record<How, string>> = {
  add: t("Add"),
  replace: t("Replace"),
  remove: t("Remove"),
};

export interface HowSelectProps {
  readonly label: string;
  readonly value: How;
  readonly onChange: (how: How) => void;
}

/** Whether what is given is added to what there is, takes its place, or goes. */
export function HowSelect({ label, value, onChange }: HowSelectProps) {
  return (
    <SegmentedControl
      aria-label={label}
      value={value}
      onChange={(how) => onChange(how as How)}
      data={(["add", "replace", "remove"] as const).map((how) => ({
        value: how,
        label: NAMES[how],
      }))}
    />
  );
}
