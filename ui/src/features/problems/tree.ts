// Symptoms below their causes: folded away until somebody asks for them.

import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";

export interface ProblemTree {
  /** positions in the order of the list, symptoms of unfolded causes behind these */
  readonly positions: ArrayLike<number>;
  /** how many symptoms of a cause the list has, by the cause's event id */
  readonly symptoms: ReadonlyMap<number, number>;
  /** positions that stand below a cause */
  readonly nested: ReadonlySet<number>;
}

/** Symptoms whose cause is not in the list stand by themselves. */
export function problemTree(
  table: ProblemTable,
  positions: ArrayLike<number>,
  unfolded: ReadonlySet<Id>,
): ProblemTree {
  const below = symptomsBelow(table, positions);
  if (below.size === 0) return { positions, symptoms: new Map(), nested: new Set() };
  const lines: number[] = [];
  const nested = new Set<number>();
  const hidden = new Set([...below.values()].flat());
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    if (hidden.has(at)) continue;
    lines.push(at);
    const eventid = table.eventid[at] ?? 0;
    const symptoms = below.get(eventid);
    if (symptoms === undefined || !unfolded.has(String(eventid))) continue;
    for (const symptom of symptoms) {
      lines.push(symptom);
      nested.add(symptom);
    }
  }
  const symptoms = new Map([...below].map(([cause, list]) => [cause, list.length]));
  return { positions: lines, symptoms, nested };
}

/** Positions of symptoms by the event id of their cause, of causes that are in the list. */
function symptomsBelow(
  table: ProblemTable,
  positions: ArrayLike<number>,
): ReadonlyMap<number, number[]> {
  const below = new Map<number, number[]>();
  // mostly there are none
  const symptoms: number[] = [];
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    if (table.cause[at] !== 0) symptoms.push(at);
  }
  if (symptoms.length === 0) return below;
  const listed = new Set<number>();
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    if (table.cause[at] === 0) listed.add(table.eventid[at] ?? 0);
  }
  for (const at of symptoms) {
    const cause = table.cause[at] ?? 0;
    if (!listed.has(cause)) continue;
    const known = below.get(cause) ?? [];
    known.push(at);
    below.set(cause, known);
  }
  return below;
}
