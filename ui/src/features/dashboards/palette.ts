// Colours of lines that have none of their own: the chart colours of both schemes are too few for 20 lines, these
// stay distinguishable on light and on dark.

const LINE_COLORS: readonly string[] = [
  "#3aa0d8",
  "#e8873a",
  "#2cae7c",
  "#c471ac",
  "#c2a31f",
  "#7f8cf0",
  "#e05a5a",
  "#5fb3a3",
  "#a97bdc",
  "#8d9aa8",
  "#d4a06a",
  "#5d9e3f",
];

export function lineColor(at: number): string {
  return LINE_COLORS[at % LINE_COLORS.length] ?? "#3aa0d8";
}

/** Shades of one colour, for the lines of one set: the first as it is, then lighter and darker in turn. */
export function shade(color: string, at: number): string {
  if (at === 0) return color;
  const step = Math.ceil(at / 2) * 0.16;
  const towards = at % 2 === 1 ? 255 : 0;
  const share = Math.min(0.7, step);
  const part = (from: number) => {
    const n = Number.parseInt(color.slice(from, from + 2), 16);
    return Math.round(n + (towards - n) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part(1)}${part(3)}${part(5)}`;
}
