// How a worker of the server is, in a word.

import type { Worker } from "@/api/workers";
import { t } from "@/lib/i18n";
import type { Tone } from "@/ui/status-dot";

export interface WorkerState {
  readonly tone: Tone;
  readonly text: string;
}

export function workerState(worker: Worker): WorkerState {
  if (worker.failing !== null) return { tone: "bad", text: t("failing") };
  // it works, but without the rows at which it failed
  if (worker.put_aside > 0) return { tone: "warn", text: t("rows quarantined") };
  return { tone: "ok", text: t("working") };
}

/** Workers that need attention come first, then by name. */
export function byNeed(workers: readonly Worker[]): readonly Worker[] {
  const need = (worker: Worker) => ["bad", "warn"].indexOf(workerState(worker).tone);
  const rank = (worker: Worker) => (need(worker) === -1 ? 2 : need(worker));
  return [...workers].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
