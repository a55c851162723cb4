// New problems of the list announced by a sound or a notification of the browser: off unless somebody asks for it,
// and only for what the filter shows.

import { useEffect, useRef, useState } from "react";
import type { ProblemRow, ProblemTable } from "@/api/problem-table";
import { isRecord } from "@/lib/columns";
import { plural, t } from "@/lib/i18n";
import { readStored, writeStored } from "@/lib/local-storage";
import { type Severity, severityName, toSeverity, worstSeverity } from "@/lib/severity";
import type { ListAnswer } from "./lists";

export interface Announcing {
  readonly sound: boolean;
  readonly notification: boolean;
  /** from which on */
  readonly severity: Severity;
}

const OFF: Announcing = { sound: false, notification: false, severity: 4 };
const KEY = "saker.announce";

function read(value: unknown): Announcing {
  if (!isRecord(value)) return OFF;
  return {
    sound: value["sound"] === true,
    notification: value["notification"] === true,
    severity: toSeverity(value["severity"]),
  };
}

export function useAnnouncing() {
  const [announcing, setAnnouncing] = useState(() => readStored(KEY, read));
  const set = (change: Partial<Announcing>) => {
    const next = { ...announcing, ...change };
    setAnnouncing(next);
    writeStored(KEY, next);
  };
  return [announcing, set] as const;
}

/** Open problems of a list, by event ids, that came after an event, from a severity on. */
export function newProblems(
  table: ProblemTable,
  ids: ArrayLike<number>,
  after: number,
  severity: Severity,
): readonly ProblemRow[] {
  // of several groups a problem may be there several times
  const found = new Map<number, ProblemRow>();
  for (let line = 0; line < ids.length; line += 1) {
    const id = ids[line] ?? 0;
    if (id <= after) continue;
    const row = table.row(table.positionOf(id) ?? -1);
    if (row !== undefined && row.severity >= severity && row.rClock === 0) found.set(id, row);
  }
  return [...found.values()];
}

export interface AnnouncedList {
  readonly table: ProblemTable;
  readonly answer: ListAnswer | undefined;
  /** while only the first rows are there, none of them is new */
  readonly isWhole: boolean;
}

export function useAnnouncements(announcing: Announcing, list: AnnouncedList): void {
  const { table, answer, isWhole } = list;
  const seen = useRef<number | undefined>(undefined);
  const isOn = announcing.sound || announcing.notification;
  useEffect(() => {
    if (!isOn || !isWhole || answer === undefined) {
      seen.current = undefined;
      return;
    }
    const before = seen.current;
    seen.current = answer.newest;
    if (before === undefined || before >= answer.newest) return;
    const found = [answer.lines, answer.hidden].flatMap((ids) =>
      newProblems(table, ids, before, announcing.severity),
    );
    if (found.length === 0) return;
    if (announcing.sound) beep();
    if (announcing.notification) notify(found);
  }, [table, answer, isWhole, isOn, announcing]);
}

const BEEP_HZ = 880;
const BEEP_S = 0.35;
const BEEP_GAIN = 0.2;
let audio: AudioContext | undefined;

/** Silent where the browser wants a click on the page first: then there is nothing that could be done. */
export function beep(): void {
  if (typeof AudioContext === "undefined") return;
  audio ??= new AudioContext();
  void audio.resume();
  const [tone, gain] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = BEEP_HZ;
  gain.gain.setValueAtTime(BEEP_GAIN, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + BEEP_S);
  tone.connect(gain).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + BEEP_S);
}

export function canNotify(): boolean {
  return typeof Notification !== "undefined";
}

/** Asks the browser, which asks the user. */
export async function askToNotify(): Promise<boolean> {
  if (!canNotify()) return false;
  return (await Notification.requestPermission()) === "granted";
}

const NAMED_MAX = 3;

export function announcementOf(found: readonly ProblemRow[]) {
  const worst = worstSeverity(found.map(({ severity }) => severity)) ?? 0;
  const title = plural(found.length, "1 new problem", "{n} new problems");
  return {
    title: `${title}: ${severityName(worst)}`,
    body: found
      .slice(0, NAMED_MAX)
      .map(({ host, name }) => `${host}: ${name}`)
      .join("\n"),
  };
}

function notify(found: readonly ProblemRow[]): void {
  if (!canNotify() || Notification.permission !== "granted") return;
  const { title, body } = announcementOf(found);
  // one at a time: a storm would cover the screen
  const shown = new Notification(title, { body, tag: "saker-problems" });
  shown.onclick = () => window.focus();
}

export function announcingText({ sound, notification, severity }: Announcing): string {
  if (!sound && !notification) return t("off");
  return t("from {severity} on", { severity: severityName(severity) });
}
