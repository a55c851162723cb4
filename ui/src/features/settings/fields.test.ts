import { describe, expect, it } from "vitest";
import { changesOf, shownOf } from "./fields";

describe("settings", () => {
  it("send what differs and nothing else", () => {
    const before = { hk_audit: "31d", hk_sessions: "365d" };
    expect(changesOf(before, { hk_audit: " 31d ", hk_sessions: "90d" })).toEqual({
      hk_sessions: "90d",
    });
  });

  it("hold what has an effect", () => {
    const shown = shownOf("housekeeping", { hk_audit: "31d", compression_status: "0" });
    expect(shown["hk_audit"]).toBe("31d");
    expect(Object.keys(shown)).not.toContain("compression_status");
  });
});
