// Messages and commands of actions.

import { ALERT } from "./generated/alert";
import { type AnswerOf, readerOf } from "./objects";
import type { Id } from "./types";

const NEWEST_FIRST = { sortfield: "alertid", sortorder: "DESC" } as const;

const ALERTS = readerOf(ALERT, {
  output: [
    "alertid",
    "eventid",
    "clock",
    "sendto",
    "subject",
    "message",
    "status",
    "retries",
    "error",
    "alerttype",
    "digestid",
    "held_until",
  ],
  selects: { mediatypes: ["name"], users: ["username"] },
  params: NEWEST_FIRST,
});
export type Alert = AnswerOf<typeof ALERTS>;

/** The newest ones; for a digest its messages and itself. */
export async function fetchAlerts(
  limit: number,
  digestid: Id | undefined,
  signal?: AbortSignal,
): Promise<readonly Alert[]> {
  const params = digestid === undefined ? {} : { digestids: [digestid] };
  return ALERTS.get({ ...params, limit }, signal);
}

/** Results of messages by recipient: enough to show who is notified. */
const OUTCOMES = readerOf(ALERT, {
  output: ["alertid", "clock", "sendto", "status", "alerttype", "held_until"],
  selects: { users: ["username"] },
  params: NEWEST_FIRST,
});
export type AlertOutcome = AnswerOf<typeof OUTCOMES>;

/** The newest ones since then. */
export async function fetchAlertsSince(
  since: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly AlertOutcome[]> {
  return OUTCOMES.get({ time_from: since, limit }, signal);
}
