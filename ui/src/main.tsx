import "@/ui/styles/mantine.css";
import "@/ui/styles/tokens.css";
import "@/ui/styles/base.css";
import { createRoot } from "react-dom/client";
import { firstAt, loadEarly } from "@/api/problem-load";
import { fetchSession } from "@/api/session";
import { browserLanguage, languageOf, speak } from "@/lang/languages";

/** The catalogue before the pages: some of their texts are constants. The pages' modules load meanwhile. */
async function start(root: HTMLElement): Promise<void> {
  const first = firstAt(window.location.pathname, window.location.search);
  if (first !== undefined) loadEarly(first);
  // most users get their browser's language
  void browserLanguage()
    .load?.()
    .catch(() => undefined);
  // undefined: not known yet, the pages ask again and say what is wrong
  const session = await fetchSession()
    .then((user) => user ?? null)
    .catch(() => undefined);
  await speak(languageOf(session?.lang));
  const { App, begin } = await import("@/app/app");
  begin(session);
  createRoot(root).render(<App />);
}

const root = document.getElementById("root");
if (root !== null) void start(root);
