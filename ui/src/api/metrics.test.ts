import { describe, expect, it } from "vitest";
import { parseMetrics } from "./metrics";

describe("metrics", () => {
  it("are read by name and labels", () => {
    const text = [
      "# HELP a_total Of something.",
      "# TYPE a_total counter",
      'a_total{method="host.get",kind="a \\"b\\""} 12',
      'a_total{method="item.get"} 3e2 1700000000000',
      "b 0.5",
      "c NaN",
      "broken line without a number",
    ].join("\n");
    const values = parseMetrics(text);
    expect(values.get("a_total")).toEqual([
      { labels: { method: "host.get", kind: 'a "b"' }, value: 12 },
      { labels: { method: "item.get" }, value: 300 },
    ]);
    expect(values.get("b")).toEqual([{ labels: {}, value: 0.5 }]);
    expect([...values.keys()]).toEqual(["a_total", "b"]);
  });
});
