import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// parts that load on demand are compiled on a busy machine meanwhile
configure({ asyncUtilTimeout: 20_000 });

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
