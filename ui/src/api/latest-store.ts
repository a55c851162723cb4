// Live values of the items on the screen. A cell listens to its own item alone, so that a thousand values
// a second redraw a thousand cells and no table.

import { useCallback, useEffect, useSyncExternalStore } from "react";
import { decodeLiveValue, type LatestRow, type LiveValue } from "./latest-columns";
import { type Stream, type StreamMessage, stream } from "./stream";
import type { Id } from "./types";

export class LatestStore {
  private readonly values = new Map<Id, LiveValue>();
  /** item → value → its name by value map, learned from snapshots: the stream sends bare values */
  private readonly names = new Map<Id, Map<string, string>>();
  private readonly listeners = new Map<Id, Set<() => void>>();
  private readonly stateListeners = new Set<() => void>();

  constructor(source: Stream) {
    source.onMessage(this.receive);
  }

  /** Takes over a snapshot; a newer value that the stream brought stays. */
  load(rows: readonly LatestRow[]): void {
    for (const { itemid, live } of rows) {
      if (live.text !== "") {
        const names = this.names.get(itemid) ?? new Map<string, string>();
        names.set(live.value, live.text);
        this.names.set(itemid, names);
      }
      const known = this.values.get(itemid);
      if (known === undefined || known.clock <= live.clock || known.state !== live.state) {
        this.set(itemid, live);
      }
    }
  }

  get(itemid: Id): LiveValue | undefined {
    return this.values.get(itemid);
  }

  subscribe(itemid: Id, listener: () => void): () => void {
    const set = this.listeners.get(itemid) ?? new Set();
    this.listeners.set(itemid, set);
    set.add(listener);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.listeners.delete(itemid);
    };
  }

  /** An item turned supported or unsupported: the reason is in the snapshot only. */
  onStateChange(listener: () => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  private receive = (message: StreamMessage): void => {
    if (message.type !== "latest" || !Array.isArray(message["values"])) return;
    let turned = false;
    for (const entry of message["values"]) {
      const decoded = decodeLiveValue(entry);
      if (decoded === undefined) continue;
      const [itemid, value] = decoded;
      const known = this.values.get(itemid);
      turned ||= known !== undefined && known.state !== value.state;
      const text = value.text || (this.names.get(itemid)?.get(value.value) ?? "");
      // of a supported item it is a note about its last values, which goes when they are fine
      const error = value.state === 0 ? value.error : value.error || (known?.error ?? "");
      this.set(itemid, { ...value, text, error });
    }
    if (turned) for (const listener of this.stateListeners) listener();
  };

  private set(itemid: Id, value: LiveValue): void {
    this.values.set(itemid, value);
    for (const listener of this.listeners.get(itemid) ?? []) listener();
  }
}

export const latestStore = new LatestStore(stream);

export function useLiveValue(row: LatestRow): LiveValue {
  const { itemid } = row;
  const subscribe = useCallback(
    (listener: () => void) => latestStore.subscribe(itemid, listener),
    [itemid],
  );
  return useSyncExternalStore(subscribe, () => latestStore.get(itemid)) ?? row.live;
}

/** Asks the stream for these items while the component is on the screen. */
export function useLiveItems(itemids: readonly Id[]): void {
  const key = itemids.join(",");
  useEffect(() => {
    if (key === "") return undefined;
    return stream.want({ latest: key.split(",") });
  }, [key]);
}
