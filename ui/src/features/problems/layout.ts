// How wide the columns of the list are: hosts get the room that their names need, and what is empty gets none.

import type { ProblemTable } from "@/api/problem-table";
import { textTrack } from "@/ui/text-track";

export interface ListLayout {
  /** grid tracks, as the next */
  readonly time: string;
  readonly host: string;
  readonly hasTags: boolean;
}

// of the first rows only: they are those on the screen, and a hundred thousand would cost a frame
const ROWS_READ = 300;
const HOST_PX_MIN = 90;
const HOST_PX_MAX = 230;
// next to the details names of problems need the room more
const HOST_PX_MAX_NARROW = 150;
const CLOCK_PX = 96;
const DATE_PX = 162;

export function listLayout(
  table: ProblemTable,
  /** event ids and, below 0, separators */
  lines: ArrayLike<number>,
  now: number,
  narrow: boolean,
): ListLayout {
  const first: number[] = [];
  for (let line = 0; line < lines.length && first.length < ROWS_READ; line += 1) {
    const at = table.positionOf(lines[line] ?? -1);
    if (at !== undefined) first.push(at);
  }
  const names = first.map((at) => table.hostOf(at));
  const midnight = new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
  const dated = first.some((at) => (table.clock[at] ?? 0) < midnight);
  return {
    time: `${dated ? DATE_PX : CLOCK_PX}px`,
    host: textTrack(names, HOST_PX_MIN, narrow ? HOST_PX_MAX_NARROW : HOST_PX_MAX),
    hasTags: first.some((at) => table.tagsOf(at).length > 0),
  };
}
