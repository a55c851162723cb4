// The lines of the tree of services: what is unfolded, below each other. A service with several parents
// stands below each of them.

import type { ServiceRow } from "@/api/services";
import type { Id } from "@/api/types";
import { locale } from "@/lib/i18n";

export interface TreeLine {
  /** the way to it: a service may stand in several places */
  readonly path: string;
  readonly depth: number;
  readonly service: ServiceRow;
  readonly children: number;
  readonly unfolded: boolean;
}

export interface TreeFilter {
  readonly text: string;
  readonly onlyProblems: boolean;
}

export const SERVICE_OK = "-1";

function byOrder(a: ServiceRow, b: ServiceRow): number {
  return Number(a.sortorder) - Number(b.sortorder) || a.name.localeCompare(b.name, locale());
}

function isWanted(service: ServiceRow, words: readonly string[], onlyProblems: boolean): boolean {
  if (onlyProblems && service.status === SERVICE_OK) return false;
  const content = [service.name, ...service.tags.map(({ tag, value }) => `${tag}: ${value}`)]
    .join("\n")
    .toLowerCase();
  return words.every((word) => content.includes(word));
}

/** With a filter the services that match stand in one flat list, worst first. */
export function treeLines(
  services: readonly ServiceRow[],
  folded: ReadonlySet<string>,
  { text, onlyProblems }: TreeFilter,
): readonly TreeLine[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const known = new Set(services.map(({ serviceid }) => serviceid));
  const children = new Map<Id, ServiceRow[]>();
  const roots: ServiceRow[] = [];
  for (const service of services) {
    const parents = service.parents.filter(({ serviceid }) => known.has(serviceid));
    if (parents.length === 0) roots.push(service);
    for (const { serviceid } of parents) {
      const list = children.get(serviceid);
      if (list === undefined) children.set(serviceid, [service]);
      else list.push(service);
    }
  }
  if (words.length > 0 || onlyProblems) {
    return services
      .filter((service) => isWanted(service, words, onlyProblems))
      .sort((a, b) => Number(b.status) - Number(a.status) || byOrder(a, b))
      .map((service) => ({
        path: service.serviceid,
        depth: 0,
        service,
        children: 0,
        unfolded: false,
      }));
  }
  const lines: TreeLine[] = [];
  const add = (list: readonly ServiceRow[], above: string, depth: number): void => {
    for (const service of [...list].sort(byOrder)) {
      const path = above === "" ? service.serviceid : `${above}/${service.serviceid}`;
      const below = children.get(service.serviceid) ?? [];
      const unfolded = below.length > 0 && !folded.has(path);
      lines.push({ path, depth, service, children: below.length, unfolded });
      if (unfolded) add(below, path, depth + 1);
    }
  };
  add(roots, "", 0);
  return lines;
}
