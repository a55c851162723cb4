// Around a widget: its heading, and what keeps one widget's failure from taking the page with it.

import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Guard } from "@/ui/guard";
import { FailedState, LoadingState } from "@/ui/states";
import { FrameContext } from "./context";
import classes from "./dashboards.module.css";
import type { WidgetDraft } from "./draft";
import { Fields, refreshOf } from "./fields";
import { useKind } from "./kinds";
import { entryOf } from "./registry";
import { UnknownWidget } from "./unknown";

export interface WidgetFrameProps {
  readonly widget: WidgetDraft;
  /** in the heading, at its end */
  readonly tools?: ReactNode;
}

// what comes on the screen soon is asked for already
const AHEAD = "200px";

export function WidgetFrame({ widget, tools }: WidgetFrameProps) {
  const content = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ isSeen: false, isVisible: false, width: 0, height: 0 });
  const fields = useMemo(() => new Fields(widget.fields), [widget.fields]);
  const kind = useKind(widget.type);
  const entry = entryOf(widget.type);
  const [title, setTitle] = useState<string | undefined>(undefined);
  const label = widget.name === "" ? (title ?? entry?.name ?? widget.type) : widget.name;
  useEffect(() => {
    const element = content.current;
    if (element === null) return undefined;
    const seen = new IntersectionObserver(
      ([it]) => {
        const isVisible = it?.isIntersecting === true;
        setPlace((before) => ({ ...before, isVisible, isSeen: before.isSeen || isVisible }));
      },
      { rootMargin: AHEAD },
    );
    const sized = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setPlace((before) => ({ ...before, width, height }));
    });
    seen.observe(element);
    sized.observe(element);
    return () => {
      seen.disconnect();
      sized.disconnect();
    };
  }, []);
  const refresh = refreshOf(fields, kind.data?.refresh ?? 60);
  const frame = useMemo(() => ({ ...place, refresh, setTitle }), [place, refresh]);
  return (
    <article
      className={classes["widget"]}
      aria-label={label}
      data-plain={widget.hideHeader || undefined}
      data-kind={widget.type}
    >
      {widget.hideHeader && tools === undefined ? null : (
        <header
          className={`${classes["widgetHeader"]} drag-handle`}
          data-over={widget.hideHeader || undefined}
        >
          <h2 className="ellipsis" title={label}>
            {label}
          </h2>
          {tools}
        </header>
      )}
      <div ref={content} className={classes["widgetContent"]}>
        <FrameContext value={frame}>
          <Guard key={widget.type}>
            <Suspense fallback={<LoadingState />}>
              {entry === undefined ? (
                <UnknownWidget type={widget.type} fields={fields} />
              ) : kind.isError ? (
                <FailedState error={kind.error} onRetry={() => kind.refetch()} />
              ) : kind.data === undefined || place.width === 0 ? (
                <LoadingState />
              ) : (
                <kind.data.Widget fields={fields} label={label} />
              )}
            </Suspense>
          </Guard>
        </FrameContext>
      </div>
    </article>
  );
}
