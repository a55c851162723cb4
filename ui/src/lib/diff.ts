// Two texts line by line: which lines stayed, went and came.

export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

// a table of this many cells is made in some milliseconds; longer texts are shown as removed and added
const CELLS_MAX = 4_000_000;

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...marked("same", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...marked("same", a.slice(a.length - tail)),
  ];
}

function marked(kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > CELLS_MAX) return [...marked("gone", a), ...marked("new", b)];
  const common = commonLengths(a, b);
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push({ kind: "same", text: a[i] ?? "" });
      i += 1;
      j += 1;
    } else if (common(i + 1, j) >= common(i, j + 1)) {
      found.push({ kind: "gone", text: a[i] ?? "" });
      i += 1;
    } else {
      found.push({ kind: "new", text: b[j] ?? "" });
      j += 1;
    }
  }
  return [...found, ...marked("gone", a.slice(i)), ...marked("new", b.slice(j))];
}

/** How many lines the rests of both from two places on have in common. */
function commonLengths(a: readonly string[], b: readonly string[]) {
  const width = b.length + 1;
  const cells = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => cells[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const longest = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      cells[i * width + j] = longest;
    }
  }
  return at;
}
