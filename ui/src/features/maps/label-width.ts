// How wide lines of labels are drawn.

import { LABEL_PX, type LabelLine } from "./scene";

/** Of a letter, where nothing can be measured. */
const LETTER_EM = 0.56;

let pen: CanvasRenderingContext2D | null | undefined;
let family = "sans-serif";

/** In pixels of the map. */
export function labelWidth({ text, tone }: LabelLine): number {
  if (pen === undefined) {
    pen = document.createElement("canvas").getContext("2d");
    family = getComputedStyle(document.body).fontFamily || family;
  }
  if (pen === null) return text.length * LABEL_PX * LETTER_EM;
  pen.font = `${tone === "bad" ? 600 : 400} ${LABEL_PX}px ${family}`;
  return pen.measureText(text).width;
}
