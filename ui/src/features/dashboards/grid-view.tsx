import type { CSSProperties } from "react";
import classes from "./dashboards.module.css";
import type { PageDraft } from "./draft";
import { WidgetFrame } from "./frame";
import { bottom, COLUMNS, ROW_PX } from "./layout";

/** A page as it is shown: widgets at their places; one below the other where the screen is narrow. */
export function GridView({ page }: { readonly page: PageDraft }) {
  // for readers and narrow screens: by rows
  const inOrder = [...page.widgets].sort((a, b) => a.y - b.y || a.x - b.x);
  return (
    <div
      className={classes["grid"]}
      style={{ "--grid-height": `${bottom(page.widgets) * ROW_PX}px` } as CSSProperties}
    >
      {inOrder.map((it) => (
        <div
          key={it.key}
          className={classes["place"]}
          style={
            {
              "--left": `${(it.x / COLUMNS) * 100}%`,
              "--top": `${it.y * ROW_PX}px`,
              "--width": `${(it.width / COLUMNS) * 100}%`,
              "--height": `${it.height * ROW_PX}px`,
            } as CSSProperties
          }
        >
          <WidgetFrame widget={it} />
        </div>
      ))}
    </div>
  );
}
