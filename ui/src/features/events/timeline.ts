// What happened to a problem, in order: its beginning, what users did, what was sent, its end.

import type { EventAlert, WholeEvent } from "@/api/event-details";
import { t } from "@/lib/i18n";
import { describeUpdate } from "@/widgets/event-update";

export type Tone = "bad" | "ok" | "dim" | "plain";

export interface Entry {
  readonly key: string;
  readonly clock: number;
  /** of entries of the same second the smaller one was first */
  readonly rank: number;
  readonly text: string;
  /** a message of a user, an error, the subject of what was sent */
  readonly note: string;
  readonly tone: Tone;
}

const SOURCES: Readonly<Record<string, string>> = {
  "0": t("Trigger"),
  "1": t("Discovery"),
  "2": t("Autoregistration"),
  "3": t("Internal"),
  "4": t("Service"),
};

export function sourceName(source: string): string {
  return SOURCES[source] ?? source;
}

const STATES = [t("not sent yet"), t("sent"), t("failed"), t("new")] as const;

export function alertState({ status, alerttype }: EventAlert): string {
  if (status === "1" && alerttype === "1") return t("executed");
  return STATES[Number(status)] ?? t("new");
}

function alertEntry(alert: EventAlert): Entry {
  const { alertid, clock, sendto, subject, message, error, esc_step, alerttype } = alert;
  const what = alerttype === "1" ? t("Command") : (alert.mediatypes[0]?.name ?? t("Message"));
  const who = [alert.users[0]?.username ?? "", sendto].filter((it) => it !== "").join(" · ");
  const step = esc_step === "0" ? "" : `${t("step {n}", { n: esc_step })}, `;
  const to = who === "" ? "" : ` ${t("to {who}", { who })}`;
  return {
    key: `alert ${alertid}`,
    clock: Number(clock),
    rank: 2,
    text: `${step}${what}${to}: ${alertState(alert)}`,
    note: error === "" ? (subject === "" ? message : subject) : error,
    tone: alert.status === "2" ? "bad" : "plain",
  };
}

export function timelineOf({ event, end, alerts }: WholeEvent): readonly Entry[] {
  const isBegin = event.value !== "0";
  const first: Entry = {
    key: "event",
    clock: Number(event.clock),
    rank: 0,
    text: isBegin ? t("Problem") : t("Resolved"),
    note: event.name,
    tone: isBegin ? "bad" : "ok",
  };
  const updates = event.acknowledges.map((it): Entry => {
    const did = describeUpdate(it);
    return {
      key: `update ${it.acknowledgeid}`,
      clock: Number(it.clock),
      rank: 1,
      text: `${it.username}: ${did === "" ? t("commented") : did}`,
      note: it.message,
      tone: "plain",
    };
  });
  const last: readonly Entry[] =
    end === undefined
      ? []
      : [
          {
            key: "end",
            clock: Number(end.clock),
            rank: 1,
            text: t("Resolved"),
            note: "",
            tone: "ok",
          },
        ];
  const all = [first, ...updates, ...alerts.map(alertEntry), ...last];
  return all.sort((a, b) => a.clock - b.clock || a.rank - b.rank);
}
