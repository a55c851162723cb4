import { expect, it, vi } from "vitest";
import { throttle } from "./throttle";

it("acts at once, then at most once per period, and loses no call", () => {
  vi.useFakeTimers();
  const act = vi.fn();
  const [run, end] = throttle(100, act);
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
