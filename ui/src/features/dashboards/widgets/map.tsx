// A map with the states of what stands on it.

import { Suspense, useContext } from "react";
import { t } from "@/lib/i18n";
import { EmptyState, LoadingState } from "@/ui/states";
import { useIds } from "../context";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { MapDrawing } from "../map-drawing";

function MapWidget({ fields }: WidgetProps) {
  const [sysmapid] = useIds(fields, "sysmapid");
  const Drawing = useContext(MapDrawing);
  if (sysmapid === undefined || Drawing === undefined) {
    return <EmptyState title={t("No map is chosen.")} />;
  }
  return (
    <Suspense fallback={<LoadingState />}>
      <Drawing key={sysmapid} sysmapid={sysmapid} />
    </Suspense>
  );
}

const FIELDS: readonly FieldSpec[] = [{ kind: "map", name: "sysmapid", label: t("Map") }];

export const KIND: WidgetKind = { Widget: MapWidget, fields: FIELDS, refresh: 900 };
