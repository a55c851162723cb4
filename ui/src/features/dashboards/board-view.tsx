// Pages of a dashboard with their tabs; in a slideshow one after the other.

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { useKeys } from "@/ui/keys";
import { EmptyState } from "@/ui/states";
import { BoardContext, type Signals } from "./context";
import classes from "./dashboards.module.css";
import { type BoardDraft, type PageDraft, periodOf } from "./draft";
import { GridView } from "./grid-view";

export interface BoardProviderProps {
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly hostid: Id | undefined;
  readonly isTemplated: boolean;
  readonly children: ReactNode;
}

/** What the widgets below share. */
export function BoardProvider(props: BoardProviderProps) {
  const { range, onRange, hostid, isTemplated, children } = props;
  const [signals, setSignals] = useState<Signals>({});
  const emit = useCallback((reference: string, kind: string, ids: readonly Id[]) => {
    if (reference === "") return;
    setSignals((before) => ({ ...before, [reference]: { ...before[reference], [kind]: ids } }));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a range is its texts; the function follows them
  const board = useMemo(
    () => ({ range, setRange: onRange, hostid, isTemplated, signals, emit }),
    [range.from, range.to, hostid, isTemplated, signals, emit],
  );
  return <BoardContext value={board}>{children}</BoardContext>;
}

export interface BoardViewProps {
  readonly board: BoardDraft;
  /** counted from 0 */
  readonly at: number;
  readonly onPage: (at: number) => void;
  /** of those who may: begins to change it */
  readonly onEdit?: (() => void) | undefined;
}

export function BoardView({ board, at, onPage, onEdit }: BoardViewProps) {
  const [running, setRunning] = useState(board.autoStart);
  const count = board.pages.length;
  const page = board.pages[Math.min(at, count - 1)];
  const step = (by: number) => onPage((at + by + count) % count);
  useKeys(
    {
      "]": () => step(1),
      "[": () => step(-1),
      p: () => setRunning(!running),
    },
    { enabled: count > 1 },
  );
  const period = page === undefined ? 0 : periodOf(board, page);
  useEffect(() => {
    if (!running || count < 2 || period <= 0) return undefined;
    const timer = setTimeout(() => onPage((at + 1) % count), period * 1000);
    return () => clearTimeout(timer);
  }, [running, count, period, at, onPage]);
  if (page === undefined) return null;
  return (
    <>
      {count > 1 ? (
        <div className={classes["pages"]}>
          <PageTabs board={board} at={at} onPage={onPage} />
          <Tooltip label={running ? t("Stop the slideshow") : t("Start the slideshow")}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={running ? t("Stop the slideshow") : t("Start the slideshow")}
              onClick={() => setRunning(!running)}
            >
              {running ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
            </ActionIcon>
          </Tooltip>
        </div>
      ) : null}
      {page.widgets.length === 0 ? (
        <EmptyState title={t("There are no widgets on this page yet.")}>
          {onEdit === undefined ? undefined : (
            <Button variant="default" onClick={onEdit}>
              {t("Edit")}
            </Button>
          )}
        </EmptyState>
      ) : (
        <GridView key={page.key} page={page} />
      )}
    </>
  );
}

export function pageName(page: PageDraft, at: number): string {
  return page.name === "" ? t("Page {n}", { n: at + 1 }) : page.name;
}

interface PageTabsProps extends BoardViewProps {
  /** at the end of the tabs */
  readonly more?: ReactNode;
}

export function PageTabs({ board, at, onPage, more }: PageTabsProps) {
  return (
    <nav className={classes["tabs"]} aria-label={t("Pages")}>
      {board.pages.map((it, n) => (
        <button
          key={it.key}
          type="button"
          className={classes["tab"]}
          aria-current={n === at ? "page" : undefined}
          onClick={() => onPage(n)}
        >
          {pageName(it, n)}
        </button>
      ))}
      {more}
    </nav>
  );
}
