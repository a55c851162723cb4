// A map within something else, such as a dashboard.

import type { Id } from "@/api/types";
import { QueryGate } from "@/ui/states";
import { MapView } from "./map-view";
import { useDrawnMap } from "./queries";

export function BoardMap({ sysmapid }: { readonly sysmapid: Id }) {
  const query = useDrawnMap(sysmapid, undefined);
  // the wheel is the dashboard's
  return <QueryGate query={query}>{(map) => <MapView map={map} hasWheel={false} />}</QueryGate>;
}
