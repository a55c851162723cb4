// What takes an update back: the API's inverse actions, as each problem was before, and symptoms that moved along
// with their cause back to it. Messages, closed problems and suppressions that were there before stay as they are.

import { ACKNOWLEDGE, type Acknowledgement } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";

export interface Undo {
  readonly calls: readonly Acknowledgement[];
  /** something of the update stays */
  readonly isPartial: boolean;
}

interface Inverse {
  readonly action: number;
  readonly severity: number | undefined;
  readonly cause: string | undefined;
  readonly stays: boolean;
}

const UNCHANGED: Inverse = { action: 0, severity: undefined, cause: undefined, stays: false };

type Of = (row: ProblemRow, update: Acknowledgement) => Partial<Inverse>;

const inverseAcknowledge: Of = ({ acknowledged }, { action }) => {
  if ((action & ACKNOWLEDGE.acknowledge) !== 0 && !acknowledged) {
    return { action: ACKNOWLEDGE.unacknowledge };
  }
  const isTakenBack = (action & ACKNOWLEDGE.unacknowledge) !== 0 && acknowledged;
  return isTakenBack ? { action: ACKNOWLEDGE.acknowledge } : {};
};

const inverseSeverity: Of = (row, { action, severity }) =>
  (action & ACKNOWLEDGE.severity) !== 0 && row.severity !== severity
    ? { action: ACKNOWLEDGE.severity, severity: row.severity }
    : {};

/** Until when something was suppressed before is not known here. */
const inverseSuppression: Of = ({ suppressed }, { action }) => {
  if ((action & ACKNOWLEDGE.suppress) !== 0) {
    return suppressed ? { stays: true } : { action: ACKNOWLEDGE.unsuppress };
  }
  return (action & ACKNOWLEDGE.unsuppress) !== 0 && suppressed ? { stays: true } : {};
};

const inverseRank: Of = ({ cause }, { action, cause_eventid }) => {
  const isRanked = (action & (ACKNOWLEDGE.cause | ACKNOWLEDGE.symptom)) !== 0;
  if (!isRanked || cause === (cause_eventid ?? "0")) return {};
  return cause === "0" ? { action: ACKNOWLEDGE.cause } : { action: ACKNOWLEDGE.symptom, cause };
};

const PARTS: readonly Of[] = [inverseAcknowledge, inverseSeverity, inverseSuppression, inverseRank];

function inverse(row: ProblemRow, update: Acknowledgement): Inverse {
  return PARTS.reduce((sum: Inverse, part) => {
    const more = part(row, update);
    return {
      action: sum.action | (more.action ?? 0),
      severity: more.severity ?? sum.severity,
      cause: more.cause ?? sum.cause,
      stays: sum.stays || (more.stays ?? false),
    };
  }, UNCHANGED);
}

/** Causes first: a symptom moves to the cause of what is a symptom itself. */
function order({ action }: Acknowledgement): number {
  if ((action & ACKNOWLEDGE.symptom) !== 0) return 2;
  return (action & ACKNOWLEDGE.cause) !== 0 ? 0 : 1;
}

/**
 * `rows` and `symptoms`, those of the rows that are not among them, as they were before the update. Problems that
 * come back the same way share a call.
 */
export function undoOf(
  rows: readonly ProblemRow[],
  update: Acknowledgement,
  symptoms: readonly ProblemRow[] = [],
): Undo {
  const calls = new Map<string, { readonly of: Inverse; readonly eventids: string[] }>();
  let isPartial = (update.action & (ACKNOWLEDGE.message | ACKNOWLEDGE.close)) !== 0;
  const add = (eventid: string, of: Inverse) => {
    const key = `${of.action} ${of.severity} ${of.cause}`;
    const known = calls.get(key);
    if (known === undefined) calls.set(key, { of, eventids: [eventid] });
    else known.eventids.push(eventid);
  };
  for (const row of rows) {
    const of = inverse(row, update);
    isPartial ||= of.stays;
    // what is closed with the update cannot be changed back
    if (of.action === 0 || (update.action & ACKNOWLEDGE.close) !== 0) continue;
    add(row.eventid, of);
  }
  if ((update.action & ACKNOWLEDGE.symptom) !== 0) {
    for (const { eventid, cause } of symptoms) {
      add(eventid, { ...UNCHANGED, action: ACKNOWLEDGE.symptom, cause });
    }
  }
  return {
    isPartial,
    calls: [...calls.values()]
      .map(({ of: { action, severity, cause }, eventids }) => ({
        eventids,
        action,
        ...(severity === undefined ? {} : { severity }),
        ...(cause === undefined ? {} : { cause_eventid: cause }),
      }))
      .sort((a, b) => order(a) - order(b)),
  };
}
