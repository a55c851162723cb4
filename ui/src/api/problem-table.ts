// Problems held as typed columns: 200,000 of them filter and sort within a few frames. Rows are addressed by
// position; positions change when rows are removed, so outside of one synchronous pass rows are named by event id.

import { decodeTags, isRecord, type TagPair } from "@/lib/columns";
import { type Severity, toSeverity } from "@/lib/severity";
import { FLAG, type ProblemHost, type ProblemRows } from "./problem-lines";
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
  /** its trigger changes so often that nothing is sent */
  readonly flapping: boolean;
  /** seconds; 0 while the problem is open */
  readonly rClock: number;
  readonly opdata: string;
  readonly tags: readonly TagPair[];
  readonly manualClose: boolean;
  /** the problem that it is a symptom of; "0" for none */
  readonly cause: Id;
}

/** Values that repeat, each once; rows have positions in it. */
export class Dictionary<T> {
  entries: T[] = [];
  /** made when it is first needed: a snapshot brings its positions along */
  private positions: Map<string, number> | undefined;
  private readonly keyOf: (entry: T) => string;

  constructor(keyOf: (entry: T) => string) {
    this.keyOf = keyOf;
  }

  at(position: number): T | undefined {
    return this.entries[position];
  }

  position(entry: T): number {
    this.positions ??= new Map(this.entries.map((it, at) => [this.keyOf(it), at]));
    const key = this.keyOf(entry);
    const known = this.positions.get(key);
    if (known !== undefined) return known;
    const position = this.entries.push(entry) - 1;
    this.positions.set(key, position);
    return position;
  }

  append(entries: readonly T[]): void {
    for (const entry of entries) this.entries.push(entry);
    this.positions = undefined;
  }

  /** Drops entries that no row has any more; rows get their new positions. */
  compact(rows: Uint32Array): void {
    const { entries } = this;
    const moved = new Int32Array(entries.length).fill(-1);
    const kept: T[] = [];
    for (const [row, at] of rows.entries()) {
      if (moved[at] === -1) moved[at] = kept.push(entries[at] as T) - 1;
      rows[row] = moved[at] ?? 0;
    }
    this.entries = kept;
    this.positions = undefined;
  }
}

// stale entries left by changes are dropped when there are so many more than rows could have
const UNUSED_MAX = 10_000;
const CAPACITY_MIN = 1024;

export class ProblemTable {
  version = 0;
  size = 0;
  /** grows when rows come or go: their order by time is another then */
  membership = 0;
  eventid = new Float64Array(CAPACITY_MIN);
  objectid = new Float64Array(CAPACITY_MIN);
  clock = new Float64Array(CAPACITY_MIN);
  rClock = new Float64Array(CAPACITY_MIN);
  cause = new Float64Array(CAPACITY_MIN);
  severity = new Uint8Array(CAPACITY_MIN);
  flags = new Uint8Array(CAPACITY_MIN);
  host = new Uint32Array(CAPACITY_MIN);
  name = new Uint32Array(CAPACITY_MIN);
  opdata = new Uint32Array(CAPACITY_MIN);
  tags = new Uint32Array(CAPACITY_MIN);
  readonly hosts = new Dictionary<ProblemHost>((it) => `${it.hostid} ${it.host}`);
  readonly names = new Dictionary<string>((it) => it);
  readonly opdatas = new Dictionary<string>((it) => it);
  readonly tagLists = new Dictionary<readonly TagPair[]>((it) => JSON.stringify(it));
  private readonly positions = new Map<number, number>();
  /** event ids of rows added, changed or removed since the last call; lines of snapshots do not count */
  private changed = new Set<number>();

  static of(rows: Iterable<ProblemRow>, version = 0): ProblemTable {
    const table = new ProblemTable();
    table.version = version;
    for (const row of rows) table.upsert(row);
    return table;
  }

  position(eventid: Id): number | undefined {
    return this.positions.get(Number(eventid));
  }

  /** As by id, of an id out of `eventid`. */
  positionOf(eventid: number): number | undefined {
    return this.positions.get(eventid);
  }

  id(at: number): Id | undefined {
    return at >= 0 && at < this.size ? String(this.eventid[at]) : undefined;
  }

  has(at: number, flag: number): boolean {
    return ((this.flags[at] ?? 0) & flag) !== 0;
  }

  hostOf(at: number): string {
    return this.hosts.at(this.host[at] ?? 0)?.host ?? "";
  }

  tagsOf(at: number): readonly TagPair[] {
    return this.tagLists.at(this.tags[at] ?? 0) ?? [];
  }

  row(at: number): ProblemRow | undefined {
    const eventid = this.id(at);
    if (eventid === undefined) return undefined;
    const host = this.hosts.at(this.host[at] ?? 0);
    return {
      eventid,
      objectid: String(this.objectid[at]),
      clock: this.clock[at] ?? 0,
      severity: toSeverity(this.severity[at]),
      name: this.names.at(this.name[at] ?? 0) ?? "",
      hostid: host?.hostid ?? "",
      host: host?.host ?? "",
      acknowledged: this.has(at, FLAG.acknowledged),
      suppressed: this.has(at, FLAG.suppressed),
      flapping: this.has(at, FLAG.flapping),
      rClock: this.rClock[at] ?? 0,
      opdata: this.opdatas.at(this.opdata[at] ?? 0) ?? "",
      tags: this.tagsOf(at),
      manualClose: this.has(at, FLAG.manualClose),
      cause: String(this.cause[at] ?? 0),
    };
  }

  byId(eventid: Id): ProblemRow | undefined {
    const at = this.position(eventid);
    return at === undefined ? undefined : this.row(at);
  }

  /** Takes a line of a snapshot, whose dictionaries this table has from its first line on. */
  append(rows: ProblemRows): void {
    const from = this.size;
    this.reserve(from + rows.size);
    this.eventid.set(rows.eventid, from);
    this.objectid.set(rows.objectid, from);
    this.clock.set(rows.clock, from);
    this.rClock.set(rows.rClock, from);
    this.cause.set(rows.cause, from);
    this.severity.set(rows.severity, from);
    this.flags.set(rows.flags, from);
    this.host.set(rows.host, from);
    this.name.set(rows.name, from);
    this.opdata.set(rows.opdata, from);
    this.tags.set(rows.tags, from);
    this.hosts.append(rows.hosts);
    this.names.append(rows.names);
    this.opdatas.append(rows.opdatas);
    this.tagLists.append(rows.tagLists);
    for (const [offset, id] of rows.eventid.entries()) this.positions.set(id, from + offset);
    this.size += rows.size;
    this.membership += 1;
  }

  upsert(row: ProblemRow): void {
    const eventid = Number(row.eventid);
    const at = this.place(eventid);
    const flag = (isSet: boolean, bit: number) => (isSet ? bit : 0);
    this.objectid[at] = Number(row.objectid);
    this.clock[at] = row.clock;
    this.rClock[at] = row.rClock;
    this.cause[at] = Number(row.cause);
    this.severity[at] = row.severity;
    this.flags[at] =
      flag(row.acknowledged, FLAG.acknowledged) |
      flag(row.suppressed, FLAG.suppressed) |
      flag(row.flapping, FLAG.flapping) |
      flag(row.manualClose, FLAG.manualClose);
    this.host[at] = this.hosts.position({ hostid: row.hostid, host: row.host });
    this.name[at] = this.names.position(row.name);
    this.opdata[at] = this.opdatas.position(row.opdata);
    this.tags[at] = this.tagLists.position(row.tags);
    this.changed.add(eventid);
    this.compact();
  }

  /** Event ids of what changed since the last call, those that are gone among them. */
  takeChanges(): readonly number[] {
    if (this.changed.size === 0) return [];
    const ids = [...this.changed];
    this.changed = new Set();
    return ids;
  }

  /** Rows as a line of a snapshot of their own, for another table; ids that are not there are left out. */
  pack(eventids: readonly number[]): ProblemRows {
    const places = Uint32Array.from(eventids.flatMap((id) => this.positions.get(id) ?? []));
    const numbers = (column: Float64Array) => Float64Array.from(places, (at) => column[at] ?? 0);
    const bytes = (column: Uint8Array) => Uint8Array.from(places, (at) => column[at] ?? 0);
    const [hosts, names] = [
      part(this.hosts, this.host, places),
      part(this.names, this.name, places),
    ];
    const opdatas = part(this.opdatas, this.opdata, places);
    const tagLists = part(this.tagLists, this.tags, places);
    return {
      size: places.length,
      eventid: numbers(this.eventid),
      objectid: numbers(this.objectid),
      clock: numbers(this.clock),
      rClock: numbers(this.rClock),
      cause: numbers(this.cause),
      severity: bytes(this.severity),
      flags: bytes(this.flags),
      host: hosts.rows,
      name: names.rows,
      opdata: opdatas.rows,
      tags: tagLists.rows,
      hosts: hosts.entries,
      names: names.entries,
      opdatas: opdatas.entries,
      tagLists: tagLists.entries,
    };
  }

  /** Takes rows that another table packed, in place of those of the same ids. */
  merge(rows: ProblemRows): void {
    const places = Uint32Array.from(rows.eventid, (id) => this.place(id));
    fill(this.objectid, places, rows.objectid);
    fill(this.clock, places, rows.clock);
    fill(this.rClock, places, rows.rClock);
    fill(this.cause, places, rows.cause);
    fill(this.severity, places, rows.severity);
    fill(this.flags, places, rows.flags);
    fill(this.host, places, join(this.hosts, rows.hosts, rows.host));
    fill(this.name, places, join(this.names, rows.names, rows.name));
    fill(this.opdata, places, join(this.opdatas, rows.opdatas, rows.opdata));
    fill(this.tags, places, join(this.tagLists, rows.tagLists, rows.tags));
    this.compact();
  }

  /** The position of an event's row, a new one where there is none yet. */
  private place(eventid: number): number {
    const known = this.positions.get(eventid);
    if (known !== undefined) return known;
    const at = this.size;
    this.reserve(at + 1);
    this.size += 1;
    this.membership += 1;
    this.eventid[at] = eventid;
    this.positions.set(eventid, at);
    return at;
  }

  /** Operational data as the stream publishes it: `[eventid, text]` each. */
  takeOpdata(values: unknown): void {
    if (!Array.isArray(values)) return;
    for (const entry of values) {
      if (!Array.isArray(entry) || typeof entry[1] !== "string") continue;
      const at = this.positions.get(Number(entry[0]));
      if (at === undefined) continue;
      this.opdata[at] = this.opdatas.position(entry[1]);
      this.changed.add(Number(entry[0]));
    }
    this.compact();
  }

  /** The last row takes the place of the removed one. */
  remove(eventid: Id): void {
    const id = Number(eventid);
    const at = this.positions.get(id);
    if (at === undefined) return;
    const last = this.size - 1;
    for (const column of this.columns()) column[at] = column[last] ?? 0;
    this.positions.set(this.eventid[at] ?? 0, at);
    this.positions.delete(id);
    this.changed.add(id);
    this.size = last;
    this.membership += 1;
  }

  private columns() {
    return [
      this.eventid,
      this.objectid,
      this.clock,
      this.rClock,
      this.cause,
      this.severity,
      this.flags,
      this.host,
      this.name,
      this.opdata,
      this.tags,
    ];
  }

  /** Makes room for at least so many rows. */
  reserve(rows: number): void {
    if (rows <= this.eventid.length) return;
    const capacity = Math.max(rows, this.eventid.length * 2);
    this.eventid = grown(new Float64Array(capacity), this.eventid);
    this.objectid = grown(new Float64Array(capacity), this.objectid);
    this.cause = grown(new Float64Array(capacity), this.cause);
    this.clock = grown(new Float64Array(capacity), this.clock);
    this.rClock = grown(new Float64Array(capacity), this.rClock);
    this.severity = grown(new Uint8Array(capacity), this.severity);
    this.flags = grown(new Uint8Array(capacity), this.flags);
    this.host = grown(new Uint32Array(capacity), this.host);
    this.name = grown(new Uint32Array(capacity), this.name);
    this.opdata = grown(new Uint32Array(capacity), this.opdata);
    this.tags = grown(new Uint32Array(capacity), this.tags);
  }

  private compact(): void {
    const max = 2 * this.size + UNUSED_MAX;
    const { size } = this;
    if (this.hosts.entries.length > max) this.hosts.compact(this.host.subarray(0, size));
    if (this.names.entries.length > max) this.names.compact(this.name.subarray(0, size));
    if (this.opdatas.entries.length > max) this.opdatas.compact(this.opdata.subarray(0, size));
    if (this.tagLists.entries.length > max) this.tagLists.compact(this.tags.subarray(0, size));
  }
}

function fill(
  column: Float64Array | Uint32Array | Uint8Array,
  places: Uint32Array,
  values: Float64Array | Uint32Array | Uint8Array,
): void {
  for (let from = 0; from < places.length; from += 1) column[places[from] ?? 0] = values[from] ?? 0;
}

/** Where a dictionary has the entries that rows find in another one. */
function join<T>(own: Dictionary<T>, entries: readonly T[], rows: Uint32Array): Uint32Array {
  const known = entries.map((it) => own.position(it));
  return rows.map((at) => known[at] ?? 0);
}

/** The entries that some rows have, each once, and where these rows find them. */
function part<T>(
  { entries }: Dictionary<T>,
  column: Uint32Array,
  places: Uint32Array,
): { readonly entries: readonly T[]; readonly rows: Uint32Array<ArrayBuffer> } {
  const known = new Map<number, number>();
  const found: T[] = [];
  const rows = Uint32Array.from(places, (place) => {
    const at = column[place] ?? 0;
    let it = known.get(at);
    if (it === undefined) {
      it = found.push(entries[at] as T) - 1;
      known.set(at, it);
    }
    return it;
  });
  return { entries: found, rows };
}

interface Settable<T> {
  set(from: T): void;
}

function grown<T extends Settable<T>>(larger: T, column: T): T {
  larger.set(column);
  return larger;
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
    flapping: flag("flapping"),
    rClock: Number(entry["r_clock"] ?? 0),
    opdata: words("opdata"),
    tags: decodeTags(entry["tags"]),
    manualClose: flag("manual_close"),
    cause: String(entry["cause"] ?? "0"),
  };
}
