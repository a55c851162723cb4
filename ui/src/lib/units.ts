// Values with units, written as Zabbix writes them: B and Bps by 1024, other units by 1000, `%`, `ms` and
// `rpm` never scaled, `!unit` not scaled on request, `s`, `uptime` and `unixtime` as times.

import { countText, plural, t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";

const UNSCALED = new Set(["%", "ms", "rpm", "RPM"]);
const BASE_1024 = new Set(["B", "Bps"]);
const PREFIXES = ["", "K", "M", "G", "T", "P", "E", "Z", "Y"];

// Zabbix shows two decimals where a prefix was applied and four where none was
const DECIMALS_SCALED = 2;
const DECIMALS_PLAIN = 4;
// most that toPrecision, toFixed and toExponential take
const DECIMALS_MAX = 100;

const TIME_PARTS: readonly (readonly [suffix: string, ms: number])[] = [
  [t("y"), 31_536_000_000],
  [t("M"), 2_592_000_000],
  [t("d"), 86_400_000],
  [t("h"), 3_600_000],
  [t("m"), 60_000],
  [t("s"), 1_000],
  [t("ms"), 1],
];
const TIME_PARTS_SHOWN = 3;

/** A number without unit: at most `decimals` places, no trailing zeros, powers of ten only where needed. */
export function formatNumber(value: number, decimals = DECIMALS_PLAIN): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  // settings of widgets are free numbers; a browser refuses places outside of these bounds
  const places = Math.min(Math.max(Math.trunc(decimals) || 0, 0), DECIMALS_MAX);
  if (size >= 1e15) return value.toExponential(places).replace(/\.?0+e/, "e");
  if (size < 0.5 * 10 ** -places) {
    // too small for the places allowed: keep the significant digits rather than show 0, but whole numbers were asked for
    return places === 0 ? "0" : trimZeros(value.toPrecision(places));
  }
  return trimZeros(value.toFixed(places));
}

// doubles hold 15 digits for sure; later digits depend on how the number was computed
const SIGNIFICANT = 12;
const MANY_DECIMALS = /^-?\d+\.\d{9,}$/;

/** The text of a computed number without the noise of its last digits: 5.0299999999999994 is 5.03. */
export function tidyNumber(text: string): string {
  return MANY_DECIMALS.test(text) ? String(Number(Number(text).toPrecision(SIGNIFICANT))) : text;
}

function trimZeros(text: string): string {
  if (text.includes("e")) return text.replace(/\.?0+e/, "e");
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Seconds as at most three neighbouring parts, "1d 2h 3m"; below a millisecond t("< 1 ms"). */
export function formatSeconds(seconds: number): string {
  const sign = seconds < 0 ? "-" : "";
  let rest = Math.round(Math.abs(seconds) * 1000);
  if (rest === 0) return seconds === 0 ? "0" : t("< 1 ms");
  const parts: string[] = [];
  let first = -1;
  for (const [at, [suffix, ms]] of TIME_PARTS.entries()) {
    if (first >= 0 && at >= first + TIME_PARTS_SHOWN) break;
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count === 0) continue;
    if (first < 0) first = at;
    parts.push(`${count}${suffix}`);
  }
  return sign + parts.join(" ");
}

/** "3 days, 04:05:06". */
export function formatUptime(seconds: number): string {
  const sign = seconds < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(seconds));
  const days = Math.floor(whole / 86_400);
  const two = (n: number) => String(n).padStart(2, "0");
  const clock = `${two(Math.floor((whole % 86_400) / 3600))}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  if (days === 0) return sign + clock;
  return `${sign}${plural(days, "1 day", "{n} days")}, ${clock}`;
}

const TIME_UNITS: Readonly<Record<string, (n: number) => string>> = {
  unixtime: (n) => (n === 0 ? t("Never") : formatDateTime(n)),
  uptime: formatUptime,
  s: formatSeconds,
};

/** A number with its units. Text that is no number comes back unchanged. */
export function formatValue(
  value: number | string,
  units: string,
  decimals = DECIMALS_PLAIN,
): string {
  const n = typeof value === "number" ? value : Number(value.trim() === "" ? Number.NaN : value);
  if (!Number.isFinite(n)) return String(value);
  const time = TIME_UNITS[units];
  if (time !== undefined) return time(n);
  const plain = units.startsWith("!") ? units.slice(1) : units;
  if (units === "" || plain !== units || UNSCALED.has(plain)) {
    const text = formatNumber(n, decimals);
    return plain === "" ? text : `${text} ${plain}`;
  }
  const { scaled, prefix } = scale(n, BASE_1024.has(plain) ? 1024 : 1000);
  const text = formatNumber(scaled, prefix === "" ? decimals : DECIMALS_SCALED);
  return `${text} ${prefix}${plain}`;
}

function scale(n: number, base: number): { scaled: number; prefix: string } {
  let scaled = n;
  let power = 0;
  while (Math.abs(scaled) >= base && power < PREFIXES.length - 1) {
    scaled /= base;
    power += 1;
  }
  return { scaled, prefix: PREFIXES[power] ?? "" };
}

/** Units that grow by 1024. */
export function isBinaryUnit(units: string): boolean {
  return BASE_1024.has(units);
}

/** Labels of an axis: all with the same prefix and just enough decimal places to differ. */
export function formatTicks(ticks: readonly number[], units: string): string[] {
  if (units === "s" || units === "uptime" || units === "unixtime") {
    return ticks.map((tick) => formatValue(tick, units));
  }
  const plain = units.startsWith("!") ? units.slice(1) : units;
  const scales = plain === units && !UNSCALED.has(plain);
  const base = BASE_1024.has(plain) ? 1024 : 1000;
  const top = Math.max(0, ...ticks.map(Math.abs));
  let power = 0;
  while (scales && top / base ** power >= base && power < PREFIXES.length - 1) power += 1;
  const divisor = base ** power;
  const step = ticks.length > 1 ? Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) / divisor : 1;
  const decimals = tickDecimals(
    ticks.map((tick) => tick / divisor),
    step,
  );
  const unit = `${PREFIXES[power] ?? ""}${plain}`;
  return ticks.map((tick) => {
    const n = tick === 0 ? "0" : trimZeros((tick / divisor).toFixed(decimals));
    return unit === "" ? n : `${n} ${unit}`;
  });
}

const TICK_DECIMALS_MAX = 6;
// of a step: what rounding may move a label
const TICK_ROUNDING_MAX = 0.01;

/** The places that write every tick as what it is: 2.5 is neither 2 nor 3. */
function tickDecimals(ticks: readonly number[], step: number): number {
  for (let decimals = 0; decimals < TICK_DECIMALS_MAX; decimals += 1) {
    const off = ticks.map((tick) => Math.abs(Number(tick.toFixed(decimals)) - tick));
    if (Math.max(0, ...off) <= step * TICK_ROUNDING_MAX) return decimals;
  }
  return TICK_DECIMALS_MAX;
}

/** Counts in running text: 1,234,567. */
export function formatCount(n: number): string {
  return countText(Math.round(n));
}

/** Bytes for system figures: 1.18 GB (by 1024, as item values are). */
export function formatBytes(n: number): string {
  return formatValue(n, "B");
}
