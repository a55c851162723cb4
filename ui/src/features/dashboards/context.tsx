// What all widgets of a page share: time, host, and what was picked in one for others to follow.

import { createContext, useContext, useEffect } from "react";
import type { Id } from "@/api/types";
import type { TimeRange } from "@/lib/time";
import { DASHBOARD, type Fields, followsHost, sourceOf } from "./fields";

/** What was picked in widgets: by reference, then by kind (`itemid`, `hostid`, …). */
export type Signals = Readonly<Record<string, Readonly<Record<string, readonly Id[]>>>>;

export interface Board {
  readonly range: TimeRange;
  readonly setRange: (range: TimeRange) => void;
  /** the host that widgets show in place of what they name */
  readonly hostid: Id | undefined;
  /** of a template: all widgets show that host */
  readonly isTemplated: boolean;
  readonly signals: Signals;
  readonly emit: (reference: string, kind: string, ids: readonly Id[]) => void;
}

const NOTHING: Board = {
  range: { from: "now-1h", to: "now" },
  setRange: () => {},
  hostid: undefined,
  isTemplated: false,
  signals: {},
  emit: () => {},
};

export const BoardContext = createContext<Board>(NOTHING);

export function useBoard(): Board {
  return useContext(BoardContext);
}

/** The host whose items the widget shows instead of those that it names; undefined: those it names. */
export function useHostOf(fields: Fields): Id | undefined {
  const { hostid, isTemplated, signals } = useBoard();
  if (isTemplated) return hostid;
  if (followsHost(fields)) return hostid;
  const source = sourceOf(fields, "override_hostid");
  return source === undefined ? undefined : signals[source.reference]?.[source.kind]?.[0];
}

/** Ids under a name: as written, of the widget that is listened to, or the dashboard's host. */
export function useIds(fields: Fields, name: string): readonly Id[] {
  const { signals, hostid, isTemplated } = useBoard();
  if (name === "hostids" && isTemplated) return hostid === undefined ? [] : [hostid];
  const source = sourceOf(fields, name);
  if (source === undefined) return fields.ids(name);
  if (source.reference === DASHBOARD) return hostid === undefined ? [] : [hostid];
  return signals[source.reference]?.[source.kind] ?? [];
}

/** Whether the widget waits for something to be picked in another one. */
export function useWaits(fields: Fields, name: string): boolean {
  const source = sourceOf(fields, name);
  return useIds(fields, name).length === 0 && source !== undefined;
}

/** The time that the widget shows: its own, or the dashboard's. */
export function useRange(fields: Fields): TimeRange {
  const { range } = useBoard();
  const from = fields.text("time_period.from");
  const to = fields.text("time_period.to");
  return from === "" || to === "" ? range : { from, to };
}

export interface Frame {
  /** it was on the screen at least once: until then nothing is asked for */
  readonly isSeen: boolean;
  readonly isVisible: boolean;
  /** seconds between refreshes; 0: never */
  readonly refresh: number;
  /** of the widget's content, in pixels */
  readonly width: number;
  readonly height: number;
  /** what the widget is called that has no name; undefined: as its kind */
  readonly setTitle: (title: string | undefined) => void;
}

export const FrameContext = createContext<Frame>({
  isSeen: true,
  isVisible: true,
  refresh: 60,
  width: 400,
  height: 200,
  setTitle: () => {},
});

export function useFrame(): Frame {
  return useContext(FrameContext);
}

/** A widget without a name is named after its object: on a host's dashboard alone, elsewhere with the host. */
export function useTitle(
  shown: { readonly host: string; readonly name: string } | null | undefined,
) {
  const { setTitle } = useFrame();
  const { isTemplated } = useBoard();
  const title = shown == null ? undefined : titleOf(shown.host, shown.name, isTemplated);
  useEffect(() => setTitle(title), [title, setTitle]);
}

export function titleOf(host: string, name: string, isTemplated: boolean): string {
  return isTemplated || host === "" ? name : `${host}: ${name}`;
}
