import { afterEach, vi } from "vitest";

// these files share their modules, so a clock that one has stopped would stand still for the next as well
afterEach(() => {
  vi.useRealTimers();
});
