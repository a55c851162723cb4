// Text on colors that a user chose.

function channel(value: number): number {
  const share = value / 255;
  return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Of `#rrggbb`, from 0 for black to 1 for white, as WCAG defines it. */
export function luminance(color: string): number {
  const part = (from: number) => channel(Number.parseInt(color.slice(from, from + 2), 16));
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

/** Black or white: what is read better. */
export function onColor(color: string): string {
  const own = luminance(color);
  return 1.05 / (own + 0.05) > (own + 0.05) / 0.05 ? "#ffffff" : "#10151c";
}
