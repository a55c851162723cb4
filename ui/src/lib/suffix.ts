// Numbers with the suffixes that expressions know: 5M, 10m, 1.5h.

const FACTORS: Readonly<Record<string, number>> = {
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

const NUMBER = /^(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)([KMGTsmhdw]?)$/;

/** undefined: it is no number. */
export function parseSuffixed(text: string): number | undefined {
  const match = NUMBER.exec(text.trim());
  if (match === null) return undefined;
  const [, number = "", suffix = ""] = match;
  return Number(number) * (FACTORS[suffix] ?? 1);
}
