// What a dashboard shows, in its address: page, time, host, and whether it fills the screen.

import type { TimeRange } from "@/lib/time";

export interface BoardSearch {
  /** counted from 1 */
  readonly page?: string;
  readonly from?: string;
  readonly to?: string;
  readonly host?: string;
  readonly full?: string;
}

export function rangeOf(search: BoardSearch): TimeRange {
  return { from: search.from ?? "now-1h", to: search.to ?? "now" };
}

/** The position of the page, from 0. */
export function pageOf(search: BoardSearch, count: number): number {
  const n = Number(search.page ?? "1");
  return Number.isInteger(n) && n >= 1 && n <= count ? n - 1 : 0;
}

/** Without what is as usual. */
export function withPage(search: BoardSearch, at: number): BoardSearch {
  const { page: _, ...rest } = search;
  return at === 0 ? rest : { ...rest, page: String(at + 1) };
}

export function withFull(search: BoardSearch, full: boolean): BoardSearch {
  const { full: _, ...rest } = search;
  return full ? { ...rest, full: "1" } : rest;
}

export function withHost(search: BoardSearch, host: string | undefined): BoardSearch {
  const { host: _, ...rest } = search;
  return host === undefined ? rest : { ...rest, host };
}
