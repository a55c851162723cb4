// A whole copy of a template, made of its export: another name, other uuids, and what refers to the template itself
// (expressions, graphs, dashboards) refers to the copy. What is linked stays linked.

export interface CloneNames {
  /** technical names */
  readonly from: string;
  readonly to: string;
  /** visible name of the copy */
  readonly name: string;
}

// texts in which items stand as /host/key
const EXPRESSIONS: ReadonlySet<string> = new Set([
  "expression",
  "recovery_expression",
  "event_name",
  "params",
]);

/** The document to import, from an export of the one template as JSON. */
export function clonedDocument(json: string, names: CloneNames): string {
  const document = JSON.parse(json) as {
    readonly zabbix_export: Readonly<Record<string, unknown>>;
  };
  const { templates, ...rest } = document.zabbix_export;
  // groups are the same ones, by their uuids
  const { template_groups: groups, ...parts } = rest;
  const copies = (Array.isArray(templates) ? templates : []).map((it) => {
    const copy = renamed(it, names, "");
    return { ...(copy as object), template: names.to, name: names.name };
  });
  return JSON.stringify({
    zabbix_export: {
      ...(renamed(parts, names, "") as object),
      ...(groups === undefined ? {} : { template_groups: groups }),
      templates: copies,
    },
  });
}

function renamed(value: unknown, names: CloneNames, key: string): unknown {
  if (typeof value === "string") return renamedText(value, names, key);
  if (Array.isArray(value)) return value.map((it) => renamed(it, names, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([of, it]) => [of, renamed(it, names, of)]));
}

function renamedText(text: string, { from, to }: CloneNames, key: string): string {
  if (key === "uuid") return newUuid();
  if (key === "host" && text === from) return to;
  if (!EXPRESSIONS.has(key)) return text;
  // behind a bracket, a comma or a space: anywhere else a slash divides
  const reference = new RegExp(`([(,\\s])/${from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}/`, "g");
  return text.replace(reference, (_, before: string) => `${before}/${to}/`);
}

const UUID_BYTES = 16;

/** Random ones of version 4, as Zabbix writes them; `crypto.randomUUID` is not there without TLS. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return [...bytes].map((it) => it.toString(16).padStart(2, "0")).join("");
}
