// Labels of widgets with macros of the item: `{ITEM.NAME}`, `{{ITEM.LASTVALUE}.fmtnum(2)}`,
// `{{ITEM.NAME}.regsub("pattern", "\1")}`. Other macros stay as they are written.

import type { BoardItem } from "@/api/widgets";
import { formatNumber } from "@/lib/units";
import { itemText } from "./value";

export type LabelItem = BoardItem;

function macroValue(name: string, item: LabelItem): string | undefined {
  switch (name) {
    case "ITEM.NAME":
    case "ITEM.NAME1":
    case "ITEM.NAME.ORIG":
      return item.name;
    case "ITEM.KEY":
    case "ITEM.KEY.ORIG":
      return item.key;
    case "ITEM.ID":
      return item.itemid;
    case "ITEM.DESCRIPTION":
    case "ITEM.DESCRIPTION.ORIG":
      return item.description;
    case "ITEM.LASTVALUE":
    case "ITEM.VALUE":
      return itemText(item);
    case "HOST.NAME":
      return item.host;
    case "HOST.HOST":
      return item.technical;
    case "HOST.ID":
      return item.hostid;
    default:
      return undefined;
  }
}

const MACRO = /\{\{([A-Z.0-9]+)\}\.(\w+)\(((?:"(?:\\.|[^"\\])*"|[^()"])*)\)\}|\{([A-Z.0-9]+)\}/g;

export function labelText(template: string, item: LabelItem): string {
  return template.replace(
    MACRO,
    (whole: string, inner?: string, func?: string, args?: string, plain?: string) => {
      const value = macroValue(inner ?? plain ?? "", item);
      if (value === undefined) return whole;
      if (func === undefined) return value;
      const raw = inner === "ITEM.LASTVALUE" || inner === "ITEM.VALUE" ? item.value : value;
      return applied(raw, func, argumentsOf(args ?? "")) ?? whole;
    },
  );
}

/** In quotes, with `\"` for a quote and any other backslash as it is; or bare. */
function argumentsOf(text: string): readonly string[] {
  const found = text.matchAll(/\s*(?:"((?:\\.|[^"\\])*)"|([^,]*))\s*(?:,|$)/g);
  const args: string[] = [];
  for (const [whole, quoted, bare] of found) {
    if (whole === "") break;
    args.push(quoted === undefined ? (bare ?? "").trim() : quoted.replaceAll('\\"', '"'));
  }
  return args;
}

function applied(value: string, func: string, args: readonly string[]): string | undefined {
  const [first = "", second = ""] = args;
  switch (func) {
    case "regsub":
      return substituted(value, first, second, "");
    case "iregsub":
      return substituted(value, first, second, "i");
    case "fmtnum": {
      const n = Number(value);
      const places = Number(first);
      if (!Number.isFinite(n) || !Number.isInteger(places)) return undefined;
      return formatNumber(n, Math.min(20, Math.max(0, places)));
    }
    case "lowercase":
      return value.toLowerCase();
    case "uppercase":
      return value.toUpperCase();
    default:
      return undefined;
  }
}

function substituted(value: string, pattern: string, output: string, flags: string) {
  try {
    const match = new RegExp(pattern, flags).exec(value);
    if (match === null) return "";
    return output.replace(/\\(\d)/g, (_, n: string) => match[Number(n)] ?? "");
  } catch {
    return undefined;
  }
}
