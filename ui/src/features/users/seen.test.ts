import { expect, it } from "vitest";
import { isOnline, seenText } from "./seen";

it("calls a user online whose session was used within ten minutes", () => {
  expect(isOnline(1_000, 1_599)).toBe(true);
  expect(isOnline(1_000, 1_600)).toBe(false);
  expect(seenText(1_000, 1_010)).toBe("online");
  expect(seenText(1_000, 1_000 + 7_200)).toBe("2h ago");
});
