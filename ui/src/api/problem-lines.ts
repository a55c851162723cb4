// A snapshot of problems as the server writes it: a head, then lines of rows in columns. Decoded where it does
// not disturb (see problem-worker.ts) into typed arrays, which change threads without being copied.

import { ColumnError, decodeTags, isRecord, type RawColumns, type TagPair } from "@/lib/columns";
import type { Id } from "./types";

export interface ProblemsHead {
  readonly version: number;
  /** rows of all lines */
  readonly total: number;
}

export interface ProblemHost {
  readonly hostid: Id;
  readonly host: string;
}

export const FLAG = { acknowledged: 1, suppressed: 2, manualClose: 4, flapping: 8 } as const;

/** One line. Dictionaries go on from line to line: here are the entries that are new. */
export interface ProblemRows {
  readonly size: number;
  // ids count up from 1: they stay far below 2^53
  readonly eventid: Float64Array<ArrayBuffer>;
  readonly objectid: Float64Array<ArrayBuffer>;
  readonly clock: Float64Array<ArrayBuffer>;
  readonly rClock: Float64Array<ArrayBuffer>;
  /** the problem that it is a symptom of; 0 for none */
  readonly cause: Float64Array<ArrayBuffer>;
  readonly severity: Uint8Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  /** positions in the dictionaries */
  readonly host: Uint32Array<ArrayBuffer>;
  readonly name: Uint32Array<ArrayBuffer>;
  readonly opdata: Uint32Array<ArrayBuffer>;
  readonly tags: Uint32Array<ArrayBuffer>;
  readonly hosts: readonly ProblemHost[];
  readonly names: readonly string[];
  readonly opdatas: readonly string[];
  readonly tagLists: readonly (readonly TagPair[])[];
}

/** What travels with a message to another thread. */
export function buffersOf(rows: ProblemRows): ArrayBuffer[] {
  const { eventid, objectid, clock, rClock, cause, severity, flags } = rows;
  const { host, name, opdata, tags } = rows;
  const numbers = [eventid, objectid, clock, rClock, cause, severity, flags];
  return [...numbers, host, name, opdata, tags].map((it) => it.buffer);
}

export function decodeHead(line: unknown): ProblemsHead {
  if (!isRecord(line)) throw new ColumnError("problems have no head");
  const [version, total] = [Number(line["version"]), Number(line["total"])];
  if (!(version >= 0 && total >= 0)) throw new ColumnError("problems have no version or total");
  return { version, total };
}

/** Decodes the lines of one snapshot, in order. */
export class LineDecoder {
  private readonly known = { host: 0, name: 0, opdata: 0, tags: 0 };

  decode(line: unknown): ProblemRows {
    if (!isRecord(line)) throw new ColumnError("a line of problems is no object");
    const ids = list(line, "eventid");
    const size = ids.length;
    const numbers = (name: string) => {
      const column = list(line, name);
      if (column.length !== size) {
        throw new ColumnError(`column ${name} has ${column.length} rows instead of ${size}`);
      }
      return column;
    };
    const hosts = this.dictionary(line, "host", size, decodeHost);
    const names = this.dictionary(line, "name", size, String);
    const opdatas = this.dictionary(line, "opdata", size, String);
    const tagLists = this.dictionary(line, "tags", size, decodeTags);
    return {
      size,
      eventid: sums(numbers("eventid")),
      objectid: sums(numbers("objectid")),
      clock: sums(numbers("clock")),
      rClock: Float64Array.from(numbers("r_clock"), Number),
      cause: Float64Array.from(numbers("cause"), Number),
      severity: Uint8Array.from(numbers("severity"), severityOf),
      flags: Uint8Array.from(numbers("flags"), Number),
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

  private dictionary<T>(
    line: RawColumns,
    name: keyof LineDecoder["known"],
    size: number,
    decode: (entry: unknown) => T,
  ): { readonly entries: T[]; readonly rows: Uint32Array<ArrayBuffer> } {
    const column = line[name];
    if (!isRecord(column)) throw new ColumnError(`column ${name} is not a dictionary`);
    const entries = list(column, "new").map(decode);
    this.known[name] += entries.length;
    const rows = Uint32Array.from(list(column, "idx"), Number);
    if (rows.length !== size || rows.some((at) => at >= this.known[name])) {
      throw new ColumnError(`column ${name} does not fit its dictionary`);
    }
    return { entries, rows };
  }
}

function list(of: RawColumns, name: string): readonly unknown[] {
  const column = of[name];
  if (!Array.isArray(column)) throw new ColumnError(`column ${name} is not a list`);
  return column;
}

/** Values of which the column has differences. */
function sums(differences: readonly unknown[]): Float64Array<ArrayBuffer> {
  const values = new Float64Array(differences.length);
  let sum = 0;
  for (const [at, difference] of differences.entries()) {
    sum += Number(difference);
    values[at] = sum;
  }
  return values;
}

function severityOf(value: unknown): number {
  const severity = Number(value);
  return severity >= 0 && severity <= 5 ? severity : 0;
}

function decodeHost(entry: unknown): ProblemHost {
  const [hostid, host] = Array.isArray(entry) ? entry : [];
  return { hostid: String(hostid ?? ""), host: String(host ?? "") };
}
