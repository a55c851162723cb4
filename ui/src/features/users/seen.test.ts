import { expect, it } from "vitest";
import { isOnline, seenText } from "./seen";

const used = { lastaccess: 1_000, session: true };

it("calls a user online whose session was used within ten minutes", () => {
  expect(isOnline(used, 1_599)).toBe(true);
  expect(isOnline(used, 1_600)).toBe(false);
  expect(seenText(used, 1_010)).toBe("online");
  expect(seenText(used, 1_000 + 7_200)).toBe("2h ago");
});

it("a user who has logged out has the time of the last visit", () => {
  const gone = { ...used, session: false };
  expect(isOnline(gone, 1_010)).toBe(false);
  expect(seenText(gone, 1_120)).toBe("2m ago");
});
