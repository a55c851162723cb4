// A page while it is edited: widgets are dragged by their headings and sized at their edges, or by keys.

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCopy, IconSettings, IconTrash } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useMemo, useState } from "react";
import {
  GridLayout,
  type Layout,
  type LayoutItem,
  noCompactor,
  useContainerWidth,
} from "react-grid-layout";
import "react-grid-layout/css/styles.css";
import { t } from "@/lib/i18n";
import classes from "./dashboards.module.css";
import type { PageDraft, WidgetDraft } from "./draft";
import { WidgetFrame } from "./frame";
import { bottom, COLUMNS, put, ROW_PX, ROWS, stepped } from "./layout";
import { entryOf } from "./registry";

export interface GridEditorProps {
  readonly page: PageDraft;
  /** `step` names changes that belong together */
  readonly onWidgets: (widgets: readonly WidgetDraft[], step?: string) => void;
  readonly onFull: () => void;
  readonly onEdit: (key: string) => void;
  readonly onCopy: (key: string) => void;
  readonly onDelete: (key: string) => void;
}

// room to drag to, below what is there
const SPARE_ROWS = 4;

export function GridEditor(props: GridEditorProps) {
  const { page, onWidgets, onFull, onEdit, onCopy, onDelete } = props;
  const { width, containerRef, mounted } = useContainerWidth();
  // a layout of its own for each drag that ended: the grid forgets what it moved meanwhile
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` makes it another list with the same places
  const layout = useMemo(
    () => page.widgets.map((it) => ({ i: it.key, x: it.x, y: it.y, w: it.width, h: it.height })),
    [page.widgets, round],
  );
  // others make room for where the widget is put, and not for all that it was dragged over
  const settle = (_: Layout, __: LayoutItem | null, moved: LayoutItem | null) => {
    const at = page.widgets.findIndex((it) => it.key === moved?.i);
    const widget = page.widgets[at];
    if (moved === null || widget === undefined) return;
    const { x, y, w: width, h: height } = moved;
    const isSame =
      x === widget.x && y === widget.y && width === widget.width && height === widget.height;
    const next = isSame ? undefined : put(page.widgets, at, { x, y, width, height });
    if (!isSame && next === undefined) onFull();
    setRound(round + 1);
    if (next !== undefined) onWidgets(next);
  };
  const onKey = (event: KeyboardEvent, at: number) => {
    const widget = page.widgets[at];
    if (widget === undefined || event.target !== event.currentTarget) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actionOf(event.key);
    const to = stepped(widget, event.key, event.shiftKey);
    if (action === undefined && to === undefined) return;
    event.preventDefault();
    action?.(props, widget.key);
    if (to === undefined) return;
    const next = put(page.widgets, at, to);
    if (next === undefined) onFull();
    else onWidgets(next, `keys ${widget.key}`);
  };
  const rows = Math.min(ROWS, bottom(page.widgets) + SPARE_ROWS);
  return (
    <div ref={containerRef} className={classes["editor"]} style={{ minHeight: rows * ROW_PX }}>
      {/* what drags would put a style element with this id into the page, which the content security policy forbids */}
      <span id="react-draggable-style-el" hidden />
      {mounted ? (
        <GridLayout
          width={width}
          layout={layout}
          gridConfig={{
            cols: COLUMNS,
            rowHeight: ROW_PX,
            margin: [0, 0],
            containerPadding: [0, 0],
            maxRows: ROWS,
          }}
          dragConfig={{ enabled: true, handle: ".drag-handle", cancel: "button", bounded: false }}
          resizeConfig={{ enabled: true, handles: ["se", "sw", "e", "s"] }}
          compactor={noCompactor}
          onDragStop={settle}
          onResizeStop={settle}
        >
          {page.widgets.map((it, at) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
            <div
              key={it.key}
              className={classes["editable"]}
              role="group"
              aria-label={t("{name}, column {x}, row {y}, {w} by {h}", {
                name: it.name === "" ? (entryOf(it.type)?.name ?? it.type) : it.name,
                x: it.x + 1,
                y: it.y + 1,
                w: it.width,
                h: it.height,
              })}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move it
              tabIndex={0}
              onKeyDown={(event) => onKey(event, at)}
            >
              <WidgetFrame
                widget={it}
                tools={
                  <span className={classes["tools"]}>
                    <Tool name={t("Edit widget")} onClick={() => onEdit(it.key)}>
                      <IconSettings size={14} />
                    </Tool>
                    <Tool name={t("Copy widget")} onClick={() => onCopy(it.key)}>
                      <IconCopy size={14} />
                    </Tool>
                    <Tool name={t("Delete widget")} onClick={() => onDelete(it.key)}>
                      <IconTrash size={14} />
                    </Tool>
                  </span>
                }
              />
            </div>
          ))}
        </GridLayout>
      ) : null}
    </div>
  );
}

type Action = (props: GridEditorProps, key: string) => void;

function actionOf(key: string): Action | undefined {
  switch (key) {
    case "Enter":
      return (props, widget) => props.onEdit(widget);
    case "Delete":
    case "Backspace":
      return (props, widget) => props.onDelete(widget);
    case "d":
      return (props, widget) => props.onCopy(widget);
    default:
      return undefined;
  }
}

interface ToolProps {
  readonly name: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Tool({ name, onClick, children }: ToolProps) {
  return (
    <Tooltip label={name}>
      <ActionIcon variant="subtle" color="gray" size={22} aria-label={name} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
