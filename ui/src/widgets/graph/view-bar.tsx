// How the graphs of a page are looked at: on top of each other, next to a time before, with bands and marks.

import { ActionIcon, Select, Switch, Tooltip } from "@mantine/core";
import { IconZoomReset } from "@tabler/icons-react";
import { t } from "@/lib/i18n";
import { useKeys } from "@/ui/keys";
import { comparisonNames, type GraphView, PERCENTILES, type StackChoice } from "./view";
import type { Zoom } from "./zoom";

export interface ViewBarProps {
  readonly view: GraphView;
  readonly onChange: (view: GraphView) => void;
  /** the graphs say themselves how they are stacked */
  readonly isConfigured?: boolean;
}

interface StackName {
  readonly value: StackChoice;
  readonly label: string;
}

function stackNames(isConfigured: boolean): readonly StackName[] {
  const lines: readonly StackName[] = isConfigured
    ? [
        { value: "auto", label: t("As configured") },
        { value: "none", label: t("Lines") },
      ]
    : [{ value: "auto", label: t("Lines") }];
  return [
    ...lines,
    { value: "stacked", label: t("Stacked") },
    { value: "percent", label: t("100 %") },
  ];
}

export function ViewBar({ view, onChange, isConfigured = false }: ViewBarProps) {
  const set = (change: Partial<GraphView>) => onChange({ ...view, ...change });
  return (
    <>
      <Select
        aria-label={t("Stacked lines")}
        w={130}
        data={[...stackNames(isConfigured)]}
        value={view.stack}
        allowDeselect={false}
        onChange={(stack) => set({ stack: (stack ?? "auto") as StackChoice })}
      />
      <Select
        aria-label={t("Compare with")}
        w={150}
        data={[...comparisonNames()]}
        value={view.compare}
        allowDeselect={false}
        onChange={(compare) => set({ compare: compare ?? "" })}
      />
      <Select
        aria-label={t("Percentile")}
        w={140}
        data={[
          { value: "0", label: t("No percentile") },
          ...PERCENTILES.map((it) => ({
            value: String(it),
            label: t("{n}th percentile", { n: it }),
          })),
        ]}
        value={String(view.percentile)}
        allowDeselect={false}
        onChange={(percent) => set({ percentile: Number(percent ?? 0) })}
      />
      <Switch
        label={t("Bands")}
        checked={view.hasBands}
        onChange={(event) => set({ hasBands: event.currentTarget.checked })}
      />
      <Switch
        label={t("Log scale")}
        checked={view.isLogarithmic}
        onChange={(event) => set({ isLogarithmic: event.currentTarget.checked })}
      />
      <Switch
        label={t("Thresholds and problems")}
        checked={view.hasMarks}
        onChange={(event) => set({ hasMarks: event.currentTarget.checked })}
      />
    </>
  );
}

/** To the range before the last drag; the key `z` and a double click on a graph do the same. */
export function ZoomBackButton({ zoom }: { readonly zoom: Zoom }) {
  useKeys({ z: zoom.back });
  return (
    <Tooltip label={t("Zoom back")}>
      <ActionIcon
        variant="default"
        aria-label={t("Zoom back")}
        disabled={!zoom.canGoBack}
        onClick={zoom.back}
      >
        <IconZoomReset size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
