// What draws maps: a feature of its own, which the addresses put together with this one.

import { type ComponentType, createContext } from "react";
import type { Id } from "@/api/types";

export interface MapDrawingProps {
  readonly sysmapid: Id;
}

export const MapDrawing = createContext<ComponentType<MapDrawingProps> | undefined>(undefined);
