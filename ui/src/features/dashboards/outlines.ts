// Coasts and borders for maps without tiles. `outlines.json` has one line for each piece: longitude and latitude of
// its first point in twentieths of a degree, then the differences to the next ones. It was made of the countries of
// Natural Earth (1:110 million, public domain), without Antarctica.

import { projected } from "./geo";

const PER_DEGREE = 20;
/** The world is drawn this many units wide: whole units are enough, whatever the zoom of a picture in 1:110 million. */
export const OUTLINE_UNITS = 8192;

/** The data of a path, of the whole world. */
export function outlinePath(lines: readonly (readonly number[])[]): string {
  return lines.map(linePath).join("");
}

function linePath(line: readonly number[]): string {
  let [longitude, latitude] = [0, 0];
  let path = "";
  for (let at = 0; at + 1 < line.length; at += 2) {
    longitude += line[at] ?? 0;
    latitude += line[at + 1] ?? 0;
    const { x, y } = projected({
      latitude: latitude / PER_DEGREE,
      longitude: longitude / PER_DEGREE,
    });
    path += `${at === 0 ? "M" : "L"}${(x * OUTLINE_UNITS).toFixed(1)} ${(y * OUTLINE_UNITS).toFixed(1)}`;
  }
  return path;
}

let loading: Promise<string> | undefined;

export function loadOutlines(): Promise<string> {
  loading ??= import("./outlines.json").then((it) => outlinePath(it.default));
  return loading;
}
