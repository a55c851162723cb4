import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { MENUS } from "./ui/theme";

// parts that load on demand are compiled on a busy machine meanwhile
configure({
  asyncUtilTimeout: 90_000,
  // what is waited for is looked for dozens of times: writing out the whole page for each failure costs more than all
  // else of a test. `screen.debug()` shows it where a test fails.
  getElementError: (message) => new Error(message ?? "not found"),
});

// what the shell has
const menus = document.createElement("section");
menus.id = MENUS;
document.body.append(menus);

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
