// Discovered entities as tables: a row for each interface, disk or whatever a rule found, a column for each item
// prototype. What an entity is called is read out of names and keys: where a prototype has a macro, its item has
// the value.

import type { Discovered, DiscoveredItem, DiscoveredPrototype } from "@/api/host-overview";
import type { Id } from "@/api/types";
import { locale } from "@/lib/i18n";

export interface EntityColumn {
  readonly prototypeid: Id;
  readonly title: string;
}

export interface Entity {
  readonly id: string;
  readonly name: string;
  /** items by prototype */
  readonly cells: ReadonlyMap<Id, Id>;
}

export interface EntityTable {
  readonly ruleid: Id;
  readonly rule: string;
  /** the most telling first */
  readonly columns: readonly EntityColumn[];
  readonly rows: readonly Entity[];
}

// {{#NAME}.function(…)} or {#NAME}
const MACRO = /\{\{(#[^}]*)\}\.[a-z]+\((?:"(?:[^"\\]|\\.)*"|[^)"])*\)\}|\{(#[^}]*)\}/g;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Values of the macros of a pattern in a text that was made of it; undefined: it was not. */
export function macrosIn(pattern: string, text: string): ReadonlyMap<string, string> | undefined {
  const names: string[] = [];
  let source = "";
  let end = 0;
  for (const match of pattern.matchAll(MACRO)) {
    source += `${escaped(pattern.slice(end, match.index))}(.*?)`;
    names.push(match[1] ?? match[2] ?? "");
    end = match.index + match[0].length;
  }
  const found = new RegExp(`^${source}${escaped(pattern.slice(end))}$`, "s").exec(text);
  if (found === null) return undefined;
  return new Map(names.map((name, at) => [name, found[at + 1] ?? ""]));
}

/** What is said of an entity, without the entity: `Interface {#IFNAME}: Bits sent` says `Bits sent`. */
export function columnTitle(name: string): string {
  const macros = [...name.matchAll(MACRO)];
  const [first, last] = [macros[0], macros.at(-1)];
  if (first === undefined || last === undefined) return name;
  const tail = name.slice(last.index + last[0].length).replace(/^[\s:,.)\]"'–-]+/, "");
  const head = name
    .slice(0, first.index)
    .replace(/[\s:,.(["'#–-]+$/, "")
    .replace(/\s(of|for|on|in|at)$/i, "");
  const title = tail === "" ? head : tail;
  return title === "" ? name : `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

// what one looks for first: does it work, how much goes through, what is lost on the way
const RANKS: readonly RegExp[] = [
  /^(operational )?(status|state)$/i,
  /status|state|health/i,
  /^(bits|bytes|traffic|octets)\b.*\b(received|in)\b|^(incoming|inbound)\b(?!.*(error|discard|drop))/i,
  /^(bits|bytes|traffic|octets)\b.*\b(sent|out|transmitted)\b|^(outgoing|outbound)\b(?!.*(error|discard|drop))/i,
  /error/i,
  /utili[sz]ation|used, in %|usage/i,
  /used|free|available|total|space/i,
];

export function rankOf(title: string): number {
  const at = RANKS.findIndex((it) => it.test(title));
  return at < 0 ? RANKS.length : at;
}

export function entityTables({ items, prototypes }: Discovered): readonly EntityTable[] {
  const byPrototype = new Map<Id, DiscoveredItem[]>();
  for (const item of items) {
    const known = byPrototype.get(item.prototypeid) ?? [];
    known.push(item);
    byPrototype.set(item.prototypeid, known);
  }
  const rules = new Map<Id, DiscoveredPrototype[]>();
  for (const prototype of prototypes) {
    if (!byPrototype.has(prototype.itemid)) continue;
    rules.set(prototype.ruleid, [...(rules.get(prototype.ruleid) ?? []), prototype]);
  }
  return [...rules.values()]
    .map((of) => tableOf(of, byPrototype))
    .sort((a, b) => collator.compare(a.rule, b.rule));
}

const collator = new Intl.Collator(locale(), { numeric: true });

function tableOf(
  prototypes: readonly DiscoveredPrototype[],
  byPrototype: ReadonlyMap<Id, readonly DiscoveredItem[]>,
): EntityTable {
  const entities = new Map<string, Gathered>();
  for (const prototype of prototypes) {
    for (const item of byPrototype.get(prototype.itemid) ?? []) gather(entities, prototype, item);
  }
  const columns = prototypes
    .map(({ itemid, name }) => ({ prototypeid: itemid, title: columnTitle(name) }))
    .sort((a, b) => rankOf(a.title) - rankOf(b.title) || collator.compare(a.title, b.title));
  const [first] = prototypes;
  return {
    ruleid: first?.ruleid ?? "",
    rule: first?.rule ?? "",
    columns,
    rows: [...entities]
      .map(([id, { names, cells }]) => ({ id, name: entityName(names) || id, cells }))
      .sort((a, b) => collator.compare(a.name, b.name)),
  };
}

interface Gathered {
  /** macros and their values */
  readonly names: Map<string, string>;
  readonly cells: Map<Id, Id>;
}

function gather(
  entities: Map<string, Gathered>,
  prototype: DiscoveredPrototype,
  item: DiscoveredItem,
): void {
  const inKey = macrosIn(prototype.key, item.key);
  const id = entityId(inKey, item);
  const entity = entities.get(id) ?? { names: new Map(), cells: new Map() };
  entities.set(id, entity);
  entity.cells.set(prototype.itemid, item.itemid);
  const inName = macrosIn(prototype.name, item.name);
  // an index says less than a name, and more than nothing
  const isNamed = inName !== undefined && inName.size > 0;
  const macros = isNamed ? inName : entity.names.size === 0 ? inKey : undefined;
  for (const [macro, value] of macros ?? []) entity.names.set(macro, value);
}

/** Items of one entity have the same values in their keys. */
function entityId(inKey: ReadonlyMap<string, string> | undefined, item: DiscoveredItem): string {
  if (inKey === undefined || inKey.size === 0) return item.name;
  return [...inKey]
    .sort(([a], [b]) => a.localeCompare(b, locale()))
    .map(([, value]) => value)
    .join(" ");
}

/** `eth0 (uplink)`: the first value, then its other values. */
function entityName(names: ReadonlyMap<string, string>): string {
  const [first, ...others] = new Set([...names.values()].filter((it) => it !== ""));
  if (first === undefined) return "";
  return others.length === 0 ? first : `${first} (${others.join(", ")})`;
}
