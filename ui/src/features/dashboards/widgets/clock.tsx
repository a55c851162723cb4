// The time: here, on the server, or of a host by an item (`system.localtime`).

import { useRouteContext } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { useNow } from "@/ui/clock";
import { useHostOf, useIds } from "../context";
import { useItems } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import shared from "../widgets.module.css";
import classes from "./clock.module.css";

const LOCAL = 0;
const SERVER = 1;
const HOST = 2;
const DIGITAL = 1;
const DATE = 1;
const TIME = 2;
const ZONE = 3;

function ClockWidget({ fields, label }: WidgetProps) {
  const now = useNow();
  const { user } = useRouteContext({ from: "/shell" });
  const source = fields.number("time_type", LOCAL);
  const itemids = useIds(fields, "itemid");
  const host = useHostOf(fields);
  const items = useItems(source === HOST ? itemids : [], host);
  const item = items.data?.[0];
  const zone = zoneOf(fields.text("tzone_timezone"), source, user.serverZone);
  const seconds = source === HOST ? hostTime(item, now) : now;
  if (seconds === undefined) return <p className={shared["quiet"]}>{t("No data")}</p>;
  const shown = fields.choices("show", [TIME]);
  const color = fields.color("bg_color");
  if (fields.number("clock_type", 0) !== DIGITAL) {
    return <Dial seconds={seconds} zone={zone} label={label} />;
  }
  const twelve = fields.number("time_format", 0) === 1;
  return (
    <div className={classes["clock"]} style={color === undefined ? {} : { background: color }}>
      {shown.has(DATE) ? (
        <span className={classes["clockDate"]} style={styleOf(fields.color("date_color"))}>
          {format(seconds, zone, { dateStyle: "short" })}
        </span>
      ) : null}
      {shown.has(TIME) ? (
        <time className={classes["clockTime"]} style={styleOf(fields.color("time_color"))}>
          {format(seconds, zone, {
            hour: "2-digit",
            minute: "2-digit",
            ...(fields.flag("time_sec", true) ? { second: "2-digit" } : {}),
            hour12: twelve,
          })}
        </time>
      ) : null}
      {shown.has(ZONE) ? (
        <span className={classes["clockDate"]} style={styleOf(fields.color("tzone_color"))}>
          {zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
        </span>
      ) : null}
    </div>
  );
}

const styleOf = (color: string | undefined) => (color === undefined ? {} : { color });

function zoneOf(own: string, source: number, server: string | undefined): string | undefined {
  if (own !== "" && own !== "local" && own !== "system") return own;
  return source === SERVER ? server : undefined;
}

function format(seconds: number, zone: string | undefined, options: Intl.DateTimeFormatOptions) {
  const date = new Date(seconds * 1000);
  try {
    return new Intl.DateTimeFormat("sv-SE", { ...options, timeZone: zone }).format(date);
  } catch {
    // a zone that the browser does not know
    return new Intl.DateTimeFormat("sv-SE", options).format(date);
  }
}

/** The host's clock goes on since its value came. */
function hostTime(
  item: { readonly value: string; readonly clock: number } | undefined,
  now: number,
): number | undefined {
  if (item === undefined || item.clock === 0) return undefined;
  const text = /^(\d{4}-\d\d-\d\d),(\d\d:\d\d:\d\d)(?:\.\d+)?,?([+-]\d\d:\d\d)?$/.exec(item.value);
  const at =
    text === null ? Number(item.value) : Date.parse(`${text[1]}T${text[2]}${text[3] ?? ""}`) / 1000;
  return Number.isFinite(at) ? at + (now - item.clock) : undefined;
}

interface DialProps {
  readonly seconds: number;
  readonly zone: string | undefined;
  readonly label: string;
}

const CENTER = 50;

function Dial({ seconds, zone, label }: DialProps) {
  const text = format(seconds, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const [h = 0, m = 0, s = 0] = text.split(":").map(Number);
  const hand = (turn: number, length: number, name: string) => (
    <line
      x1={CENTER}
      y1={CENTER}
      x2={CENTER + length * Math.sin(turn * 2 * Math.PI)}
      y2={CENTER - length * Math.cos(turn * 2 * Math.PI)}
      className={classes[name]}
    />
  );
  return (
    <svg
      className={classes["dial"]}
      viewBox="0 0 100 100"
      role="img"
      aria-label={`${label}: ${text}`}
    >
      <title>{text}</title>
      <circle cx={CENTER} cy={CENTER} r="46" className={classes["dialFace"]} />
      {Array.from({ length: 12 }, (_, at) => at).map((at) => {
        const turn = (at / 12) * 2 * Math.PI;
        const inner = at % 3 === 0 ? 38 : 41;
        return (
          <line
            key={at}
            x1={CENTER + inner * Math.sin(turn)}
            y1={CENTER - inner * Math.cos(turn)}
            x2={CENTER + 44 * Math.sin(turn)}
            y2={CENTER - 44 * Math.cos(turn)}
            className={classes["dialMark"]}
          />
        );
      })}
      {hand((h % 12) / 12 + m / 720, 24, "dialHour")}
      {hand(m / 60 + s / 3600, 34, "dialMinute")}
      {hand(s / 60, 38, "dialSecond")}
    </svg>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "time_type",
    label: t("Time type"),
    usual: LOCAL,
    options: [
      [LOCAL, t("Local time")],
      [SERVER, t("Server time")],
      [HOST, t("Host time")],
    ],
  },
  { kind: "item", name: "itemid", label: t("Item (of host time)") },
  {
    kind: "choice",
    name: "clock_type",
    label: t("Clock type"),
    usual: 0,
    options: [
      [0, t("Analog")],
      [DIGITAL, t("Digital")],
    ],
  },
  {
    kind: "checks",
    name: "show",
    label: t("Show"),
    usual: [TIME],
    options: [
      [DATE, t("Date")],
      [TIME, t("Time")],
      [ZONE, t("Time zone")],
    ],
  },
  { kind: "flag", name: "time_sec", label: t("Seconds"), usual: true },
  {
    kind: "choice",
    name: "time_format",
    label: t("Format"),
    usual: 0,
    options: [
      [0, t("24-hour")],
      [1, t("12-hour")],
    ],
  },
  { kind: "text", name: "tzone_timezone", label: t("Time zone") },
  { kind: "color", name: "bg_color", label: t("Background color") },
];

export const KIND: WidgetKind = { Widget: ClockWidget, fields: FIELDS, refresh: 900 };
