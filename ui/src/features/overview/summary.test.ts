import { describe, expect, it } from "vitest";
import { notifiedOf } from "./summary";

describe("notified users", () => {
  const message = (username: string, status: string, clock: string) => ({
    clock,
    sendto: "x@example.org",
    status,
    alerttype: "0",
    held_until: "0",
    users: username === "" ? [] : [{ username }],
  });

  it("is counted by user, without commands", () => {
    const alerts = [
      message("ann", "1", "10"),
      message("ann", "2", "12"),
      message("", "3", "20"),
      { ...message("bob", "1", "30"), alerttype: "1" },
    ];
    expect(notifiedOf(alerts)).toEqual([
      { who: "x@example.org", sent: 0, waiting: 1, failed: 0, last: 20 },
      { who: "ann", sent: 1, waiting: 0, failed: 1, last: 12 },
    ]);
  });
});
