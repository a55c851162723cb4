import { describe, expect, it } from "vitest";
import { type MetricSample, parseMetrics } from "@/api/metrics";
import { SampleLog } from "./samples";

const sample = (at: number, text: string): MetricSample => ({ at, values: parseMetrics(text) });

describe("samples of the metrics", () => {
  it("become rates between two of them, by label where a stage has labels", () => {
    const log = new SampleLog();
    log.add(
      sample(
        1_000,
        'saker_api_calls_total{method="a"} 5\nsaker_api_calls_total{method="b"} 5\nsaker_shard_busy_ns_total{shard="0"} 0',
      ),
    );
    const later = sample(
      3_000,
      'saker_api_calls_total{method="a"} 9\nsaker_api_calls_total{method="b"} 7\nsaker_shard_busy_ns_total{shard="0"} 1000000000',
    );
    log.add(later);
    log.add(later);
    expect(log.series("api")).toEqual({
      t: [1, 3],
      lines: [{ name: "calls", values: [null, 3] }],
    });
    // one second of work in two
    expect(log.series("shard-busy").lines).toEqual([{ name: "0", values: [null, 50] }]);
  });

  it("have a gap where a counter restarted", () => {
    const log = new SampleLog();
    for (const [at, calls] of [
      [1_000, 10],
      [2_000, 20],
      [3_000, 1],
      [4_000, 5],
    ] as const) {
      log.add(sample(at, `saker_api_calls_total ${calls}`));
    }
    expect(log.series("api").lines[0]?.values).toEqual([null, 10, null, 4]);
  });

  it("of stores: what waits for the next file of the server's own is no lag", () => {
    const log = new SampleLog();
    const lag = (store: string, value: number) =>
      `saker_history_store_lag_seconds{store="${store}"} ${value}`;
    log.add(sample(1_000, lag("embedded", 1_568)));
    expect(log.series("stores").lines).toEqual([]);
    log.add(sample(2_000, `${lag("embedded", 1_569)}\n${lag("clickhouse", 3)}`));
    expect(log.series("stores").lines).toEqual([{ name: "clickhouse", values: [null, 3] }]);
  });

  it("keep half an hour", () => {
    const log = new SampleLog();
    for (let at = 0; at < 400; at += 1) log.add(sample(at * 5_000, "saker_db_events_waiting 1"));
    const { t, lines } = log.series("events");
    expect(t).toHaveLength(360);
    expect(lines[0]?.values).toHaveLength(360);
    expect(t.at(-1)).toBe(399 * 5);
  });
});
