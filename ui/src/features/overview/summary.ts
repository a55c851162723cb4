// Users who were notified, with the result.

import { ALERT } from "@/api/generated/alert";

export interface Notified {
  /** a user's name, or an address */
  readonly who: string;
  readonly sent: number;
  readonly waiting: number;
  readonly failed: number;
  /** of the newest, seconds since the epoch */
  readonly last: number;
}

interface Outcome {
  readonly clock: string;
  readonly sendto: string;
  readonly status: string;
  readonly alerttype: string;
  readonly held_until: string;
  readonly users: readonly { readonly username: string }[];
}

const { COMMAND } = ALERT.fields.alerttype.names;
const { SENT, FAILED } = ALERT.fields.status.names;

/** Messages by their recipients, those with the newest first; commands have none. */
export function notifiedOf(alerts: readonly Outcome[]): readonly Notified[] {
  const found = new Map<string, Notified>();
  for (const { clock, sendto, status, alerttype, users } of alerts) {
    if (alerttype === COMMAND) continue;
    const who = users[0]?.username ?? sendto;
    const before = found.get(who) ?? { who, sent: 0, waiting: 0, failed: 0, last: 0 };
    found.set(who, {
      who,
      sent: before.sent + (status === SENT ? 1 : 0),
      failed: before.failed + (status === FAILED ? 1 : 0),
      waiting: before.waiting + (status !== SENT && status !== FAILED ? 1 : 0),
      last: Math.max(before.last, Number(clock)),
    });
  }
  return [...found.values()].sort((a, b) => b.last - a.last);
}
