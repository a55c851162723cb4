// The grid track of a column of names: as wide as the names on the screen need, within bounds.

// the widest letters are rare in names
const CHAR_PX = 7.2;
const CELL_PADDING_PX = 18;
// more rows than a screen has; reading a hundred thousand would cost a frame
const ROWS_READ = 300;

export function textTrack(names: readonly string[], min: number, max: number): string {
  const longest = Math.max(0, ...names.slice(0, ROWS_READ).map((name) => name.length));
  const wanted = Math.ceil(longest * CHAR_PX) + CELL_PADDING_PX;
  return `minmax(${min}px, ${Math.min(max, Math.max(min, wanted))}px)`;
}
