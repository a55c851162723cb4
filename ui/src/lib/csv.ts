// Tables as CSV (RFC 4180). A spreadsheet takes what begins with = + - @ for a formula, and texts of problems come
// from outside: such cells begin with an apostrophe, which spreadsheets take for "this is text".

import { saveBlob } from "./save-file";

// a tab or a line break may stand before the sign
const FORMULA = /^[\t\r\n ]*[=+\-@]|^[\t\r]/;
// a spreadsheet reads UTF-8 only after it
const BYTE_ORDER_MARK = "\uFEFF";

export function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** A file that the browser saves. */
export function saveCsv(name: string, lines: readonly string[]): void {
  saveBlob(name, new Blob([BYTE_ORDER_MARK, ...lines], { type: "text/csv;charset=utf-8" }));
}
