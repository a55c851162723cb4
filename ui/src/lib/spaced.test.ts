import { expect, it, vi } from "vitest";
import { spaced } from "./spaced";

it("acts at once, then at most once in a while, and loses nothing", () => {
  vi.useFakeTimers();
  const act = vi.fn();
  const [run, end] = spaced(100, act);
  run();
  expect(act).toHaveBeenCalledTimes(1);
  run();
  run();
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(act).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1000);
  expect(act).toHaveBeenCalledTimes(2);
  run();
  run();
  end();
  vi.advanceTimersByTime(1000);
  expect(act).toHaveBeenCalledTimes(3);
});
