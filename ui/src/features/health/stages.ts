// What the system health page draws: one row a stage of the server, in the order in which values pass through.

import type { MetricSample, MetricValue } from "@/api/metrics";
import { t } from "@/lib/i18n";

/** A line of a stage: a name and its value at a moment; undefined where it is not known yet. */
export type StageValues = ReadonlyMap<string, number>;

export interface Stage {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly read: (now: MetricSample, before: MetricSample | undefined) => StageValues;
}

// more lines than this cannot be distinguished; the largest are drawn
const LINES_MAX = 8;

function entries(sample: MetricSample | undefined, name: string): readonly MetricValue[] {
  return sample?.values.get(name) ?? [];
}

function sum(sample: MetricSample, name: string): number {
  return entries(sample, name).reduce((all, { value }) => all + value, 0);
}

/** Growth per second between two samples; a counter that fell was reset. */
function rate(
  now: MetricSample,
  before: MetricSample | undefined,
  name: string,
): number | undefined {
  if (before === undefined || now.at <= before.at || !now.values.has(name)) return undefined;
  const grown = sum(now, name) - sum(before, name);
  return grown < 0 ? undefined : (grown * 1000) / (now.at - before.at);
}

type Read = (now: MetricSample, before: MetricSample | undefined) => number | undefined;

function lines(parts: Readonly<Record<string, Read>>): Stage["read"] {
  return (now, before) => {
    const known = new Map<string, number>();
    for (const [name, read] of Object.entries(parts)) {
      const value = read(now, before);
      if (value !== undefined) known.set(name, value);
    }
    return known;
  };
}

const rateOf =
  (name: string, factor = 1): Read =>
  (now, before) => {
    const found = rate(now, before, name);
    return found === undefined ? undefined : found * factor;
  };

const gauge =
  (name: string): Read =>
  (now) =>
    now.values.has(name) ? sum(now, name) : undefined;

/** The mean of a histogram's measurements between two samples. */
const mean =
  (name: string): Read =>
  (now, before) => {
    const [seconds, n] = [rate(now, before, `${name}_sum`), rate(now, before, `${name}_count`)];
    if (seconds === undefined || n === undefined) return undefined;
    return n === 0 ? 0 : seconds / n;
  };

/** A line for each value of a label. */
function byLabel(
  name: string,
  label: string,
  read: (now: MetricValue, before: number | undefined, seconds: number) => number | undefined,
): Stage["read"] {
  return (now, before) => {
    const was = new Map(entries(before, name).map((it) => [it.labels[label] ?? "", it.value]));
    const seconds = before === undefined ? 0 : (now.at - before.at) / 1000;
    const found = entries(now, name).flatMap((it): [string, number][] => {
      const key = it.labels[label] ?? "";
      const value = read(it, was.get(key), seconds);
      return value === undefined ? [] : [[key, value]];
    });
    return new Map(found.sort((a, b) => b[1] - a[1]).slice(0, LINES_MAX));
  };
}

const labelled = (it: MetricValue) => it.value;

/** The server's own store has each value at once; what waits for its next file is no lag. */
const lagging = (it: MetricValue) => (it.labels["store"] === "embedded" ? undefined : it.value);

const NS_OF_PERCENT = 10_000_000;

export const STAGES: readonly Stage[] = [
  {
    id: "collection",
    title: t("Collection"),
    units: "/s",
    read: lines({
      [t("checks finished")]: rateOf("saker_poll_checks_total"),
      [t("rows forwarded")]: rateOf("saker_ingress_rows_total"),
      [t("rows refused")]: rateOf("saker_ingress_refused_total"),
    }),
  },
  {
    id: "late",
    title: t("Late checks"),
    units: "",
    read: lines({
      [t("overdue")]: gauge("saker_poll_overdue"),
      [t("polls in progress")]: gauge("saker_poll_jobs_running"),
    }),
  },
  {
    id: "shards",
    title: t("Shards: values processed"),
    units: "/s",
    read: lines({
      [t("values processed")]: rateOf("saker_shard_processed_total"),
      [t("values refused")]: rateOf("saker_shard_refused_total"),
    }),
  },
  {
    id: "shard-busy",
    title: t("Shards: busy time"),
    units: "%",
    read: byLabel("saker_shard_busy_ns_total", "shard", (it, before, seconds) =>
      before === undefined || seconds <= 0 || it.value < before
        ? undefined
        : (it.value - before) / seconds / NS_OF_PERCENT,
    ),
  },
  {
    id: "workers",
    title: t("Scripts and heavy steps: waiting jobs"),
    units: "",
    read: byLabel("saker_worker_waiting", "class", labelled),
  },
  {
    id: "queues",
    title: t("Queues: messages"),
    units: "",
    read: byLabel("saker_queue_depth", "queue", labelled),
  },
  {
    id: "history",
    title: t("History: values"),
    units: "/s",
    read: lines({
      [t("accepted")]: rateOf("saker_history_embedded_values_total"),
      [t("written to files")]: rateOf("saker_history_embedded_flushed_values_total"),
    }),
  },
  {
    id: "stores",
    title: t("External stores: lag behind the journal"),
    units: "s",
    read: byLabel("saker_history_store_lag_seconds", "store", lagging),
  },
  {
    id: "events",
    title: t("Events waiting to be saved"),
    units: "",
    read: lines({ [t("waiting")]: gauge("saker_db_events_waiting") }),
  },
  {
    id: "alerts",
    title: t("Messages"),
    units: "",
    read: lines({
      [t("waiting")]: gauge("saker_alerts_waiting"),
      [t("being sent")]: gauge("saker_alerts_sending"),
      [t("active escalations")]: gauge("saker_escalations_running"),
    }),
  },
  {
    id: "api",
    title: t("API: calls"),
    units: "/s",
    read: lines({ [t("calls")]: rateOf("saker_api_calls_total") }),
  },
  {
    id: "api-time",
    title: t("API: mean time of a call"),
    units: "s",
    read: lines({ [t("mean")]: mean("saker_api_call_seconds") }),
  },
  {
    id: "cpu",
    title: t("Process: CPU"),
    units: "%",
    read: lines({ [t("CPU of one core")]: rateOf("process_cpu_seconds_total", 100) }),
  },
  {
    id: "memory",
    title: t("Process: memory"),
    units: "B",
    read: lines({ [t("resident")]: gauge("process_resident_memory_bytes") }),
  },
];
