// A graph taken away: its numbers as CSV, its picture as PNG.

import type { Series } from "@/api/types";
import { csvLine } from "@/lib/csv";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { canvasColor, token } from "@/ui/charts/plot-draw";
import type { GraphLine } from "./spec";

/** A row for each time that some line has a value at; lowest, average and highest value of each line's bucket. */
export function graphCsv(
  lines: readonly Pick<GraphLine, "itemid" | "name">[],
  series: ReadonlyMap<string, Series>,
): string[] {
  const known = lines.map(({ itemid, name }) => ({ name, places: placesOf(series.get(itemid)) }));
  const times = new Set(known.flatMap(({ places }) => [...places.keys()]));
  const head = known.flatMap(({ name }) => [
    t("{name} (min)", { name }),
    t("{name} (avg)", { name }),
    t("{name} (max)", { name }),
  ]);
  const rows = [...times]
    .sort((a, b) => a - b)
    .map((time) =>
      csvLine([
        formatDateTime(time),
        ...known.flatMap(({ places }) => places.get(time) ?? ["", "", ""]),
      ]),
    );
  return [csvLine([t("Time"), ...head]), ...rows];
}

function placesOf(series: Series | undefined): Map<number, readonly (number | string)[]> {
  const rows = (series?.t ?? []).flatMap((time, at): [number, readonly (number | string)[]][] => {
    const numbers = [series?.min[at], series?.avg[at], series?.max[at]];
    if (numbers.every((it) => it === null || it === undefined)) return [];
    return [[time, numbers.map((it) => it ?? "")]];
  });
  return new Map(rows);
}

export interface Picture {
  readonly title: string;
  readonly note: string;
  readonly plot: HTMLCanvasElement;
  readonly lines: readonly Pick<GraphLine, "name" | "color">[];
}

const PADDING = 12;
const TITLE_PX = 15;
const TEXT_PX = 12;
const LINE_PX = 18;
const COLUMN_PX = 280;

/** The plot as it is on the screen, in its scheme's colors, between its title and the names of its lines. */
export async function graphPng({ title, note, plot, lines }: Picture): Promise<Blob> {
  const ratio = devicePixelRatio;
  const width = plot.width / ratio + 2 * PADDING;
  const columns = Math.max(1, Math.floor((width - 2 * PADDING) / COLUMN_PX));
  const rows = Math.ceil(lines.length / columns);
  const top = PADDING + TITLE_PX + 10;
  const bottom = top + plot.height / ratio + 8;
  const height = bottom + rows * LINE_PX + PADDING;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const ctx = canvas.getContext("2d");
  if (ctx === null) throw new Error(t("This browser cannot create images."));
  ctx.scale(ratio, ratio);
  ctx.fillStyle = token("--panel");
  ctx.fillRect(0, 0, width, height);
  ctx.textBaseline = "middle";
  const font = token("--mantine-font-family");
  ctx.fillStyle = token("--fg");
  ctx.font = `600 ${TITLE_PX}px ${font}`;
  ctx.fillText(title, PADDING, PADDING + TITLE_PX / 2, width * 0.62);
  ctx.font = `${TEXT_PX}px ${font}`;
  ctx.fillStyle = token("--fg-dim");
  ctx.textAlign = "right";
  ctx.fillText(note, width - PADDING, PADDING + TITLE_PX / 2, width * 0.34);
  ctx.textAlign = "left";
  ctx.drawImage(plot, PADDING, top, plot.width / ratio, plot.height / ratio);
  const column = (width - 2 * PADDING) / columns;
  for (const [at, line] of lines.entries()) {
    const x = PADDING + (at % columns) * column;
    const y = bottom + Math.floor(at / columns) * LINE_PX + LINE_PX / 2;
    ctx.fillStyle = canvasColor(line.color);
    ctx.fillRect(x, y - 2, 12, 4);
    ctx.fillStyle = token("--fg");
    ctx.fillText(line.name, x + 18, y, column - 26);
  }
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => {
      if (blob === null) fail(new Error(t("This browser cannot create images.")));
      else done(blob);
    }, "image/png"),
  );
}
