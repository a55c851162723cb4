// Problems held as columns: 100,000 of them filter and sort within a frame. Rows are addressed by position;
// positions change when rows are removed, so outside of one synchronous pass rows are named by event id.

import {
  booleans,
  ColumnError,
  decodeTags,
  isRecord,
  numbers,
  rowCount,
  strings,
  type TagPair,
  tagLists,
} from "@/lib/columns";
import { type Severity, toSeverity } from "@/lib/severity";
import type { Id } from "./types";

export interface ProblemRow {
  readonly eventid: Id;
  readonly objectid: Id;
  readonly clock: number;
  readonly severity: Severity;
  readonly name: string;
  readonly hostid: Id;
  readonly host: string;
  readonly acknowledged: boolean;
  readonly suppressed: boolean;
  /** seconds; 0 while the problem is open */
  readonly rClock: number;
  readonly opdata: string;
  readonly tags: readonly TagPair[];
  readonly manualClose: boolean;
}

export class ProblemTable {
  version = 0;
  eventid: Id[] = [];
  /** event ids as numbers, for ordering only */
  order: number[] = [];
  objectid: Id[] = [];
  clock: number[] = [];
  severity: Severity[] = [];
  name: string[] = [];
  hostid: Id[] = [];
  host: string[] = [];
  acknowledged: boolean[] = [];
  suppressed: boolean[] = [];
  rClock: number[] = [];
  opdata: string[] = [];
  tags: (readonly TagPair[])[] = [];
  manualClose: boolean[] = [];
  private positions = new Map<Id, number>();

  static decode(answer: unknown): ProblemTable {
    const columns = isRecord(answer) ? answer["columns"] : undefined;
    if (!isRecord(answer) || !isRecord(columns)) throw new ColumnError("problems have no columns");
    const n = rowCount(columns, "eventid");
    const table = new ProblemTable();
    table.version = Number(answer["version"] ?? 0);
    table.eventid = strings(columns, "eventid", n);
    table.order = table.eventid.map(Number);
    table.objectid = strings(columns, "objectid", n);
    table.clock = numbers(columns, "clock", n);
    table.severity = numbers(columns, "severity", n).map(toSeverity);
    table.name = strings(columns, "name", n);
    table.hostid = strings(columns, "hostid", n);
    table.host = strings(columns, "host", n);
    table.acknowledged = booleans(columns, "acknowledged", n);
    table.suppressed = booleans(columns, "suppressed", n);
    table.rClock = numbers(columns, "r_clock", n);
    table.opdata = strings(columns, "opdata", n);
    table.tags = tagLists(columns, "tags", n);
    table.manualClose = booleans(columns, "manual_close", n);
    for (const [at, id] of table.eventid.entries()) table.positions.set(id, at);
    return table;
  }

  get size(): number {
    return this.eventid.length;
  }

  position(eventid: Id): number | undefined {
    return this.positions.get(eventid);
  }

  row(at: number): ProblemRow | undefined {
    const eventid = this.eventid[at];
    if (eventid === undefined) return undefined;
    return {
      eventid,
      objectid: this.objectid[at] ?? "",
      clock: this.clock[at] ?? 0,
      severity: this.severity[at] ?? 0,
      name: this.name[at] ?? "",
      hostid: this.hostid[at] ?? "",
      host: this.host[at] ?? "",
      acknowledged: this.acknowledged[at] ?? false,
      suppressed: this.suppressed[at] ?? false,
      rClock: this.rClock[at] ?? 0,
      opdata: this.opdata[at] ?? "",
      tags: this.tags[at] ?? [],
      manualClose: this.manualClose[at] ?? false,
    };
  }

  byId(eventid: Id): ProblemRow | undefined {
    const at = this.positions.get(eventid);
    return at === undefined ? undefined : this.row(at);
  }

  upsert(row: ProblemRow): void {
    const known = this.positions.get(row.eventid);
    const at = known ?? this.eventid.length;
    this.positions.set(row.eventid, at);
    this.eventid[at] = row.eventid;
    this.order[at] = Number(row.eventid);
    this.objectid[at] = row.objectid;
    this.clock[at] = row.clock;
    this.severity[at] = row.severity;
    this.name[at] = row.name;
    this.hostid[at] = row.hostid;
    this.host[at] = row.host;
    this.acknowledged[at] = row.acknowledged;
    this.suppressed[at] = row.suppressed;
    this.rClock[at] = row.rClock;
    this.opdata[at] = row.opdata;
    this.tags[at] = row.tags;
    this.manualClose[at] = row.manualClose;
  }

  /** The last row takes the place of the removed one. */
  remove(eventid: Id): void {
    const at = this.positions.get(eventid);
    if (at === undefined) return;
    const last = this.row(this.size - 1);
    this.positions.delete(eventid);
    for (const column of this.columns()) column.pop();
    if (last !== undefined && last.eventid !== eventid) {
      this.positions.set(last.eventid, at);
      this.upsert(last);
    }
  }

  private columns(): unknown[][] {
    return [
      this.eventid,
      this.order,
      this.objectid,
      this.clock,
      this.severity,
      this.name,
      this.hostid,
      this.host,
      this.acknowledged,
      this.suppressed,
      this.rClock,
      this.opdata,
      this.tags,
      this.manualClose,
    ];
  }
}

/** A row of the stream's `upsert` list. */
export function decodeProblemRow(entry: unknown): ProblemRow | undefined {
  if (!isRecord(entry)) return undefined;
  const eventid = entry["eventid"];
  if (eventid === undefined || eventid === null) return undefined;
  const words = (name: string) => String(entry[name] ?? "");
  const flag = (name: string) => {
    const value = entry[name];
    return value === true || value === 1 || value === "1";
  };
  return {
    eventid: String(eventid),
    objectid: words("objectid"),
    clock: Number(entry["clock"] ?? 0),
    severity: toSeverity(entry["severity"]),
    name: words("name"),
    hostid: words("hostid"),
    host: words("host"),
    acknowledged: flag("acknowledged"),
    suppressed: flag("suppressed"),
    rClock: Number(entry["r_clock"] ?? 0),
    opdata: words("opdata"),
    tags: decodeTags(entry["tags"]),
    manualClose: flag("manual_close"),
  };
}
