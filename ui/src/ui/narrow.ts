// Whether the screen is narrow, as the style sheets see it: tables then show only what matters most.

import { useSyncExternalStore } from "react";

// the same width as in the media queries of the style sheets
const QUERY = "(max-width: 760px)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(QUERY);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(QUERY).matches);
}
