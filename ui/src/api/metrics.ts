// The server's own figures from its metrics: `GET /metrics`, text of Prometheus.

import { httpText } from "./http";

export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All values of a moment, by the metric's name. */
export interface MetricSample {
  /** milliseconds since the epoch */
  readonly at: number;
  readonly values: ReadonlyMap<string, readonly MetricValue[]>;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Lines that are no values (help, types, what is broken) are left out. */
export function parseMetrics(text: string): ReadonlyMap<string, readonly MetricValue[]> {
  const found = new Map<string, MetricValue[]>();
  for (const line of text.split("\n")) {
    const match = LINE.exec(line);
    const [, name, labels = "", written = ""] = match ?? [];
    const value = Number(written);
    if (name === undefined || Number.isNaN(value)) continue;
    const entry = { labels: labelsOf(labels), value };
    const known = found.get(name);
    if (known === undefined) found.set(name, [entry]);
    else known.push(entry);
  }
  return found;
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\\(.)/g, (_, it: string) => (it === "n" ? "\n" : it)),
    ]),
  );
}

export async function fetchMetrics(signal?: AbortSignal): Promise<MetricSample> {
  const text = await httpText("/metrics", { signal });
  return { at: Date.now(), values: parseMetrics(text) };
}
