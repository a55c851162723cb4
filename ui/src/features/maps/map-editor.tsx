// The editor: tools above, the sheet, and the fields of what is selected next to it.

import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconGrid4x4,
  IconLayoutAlignCenter,
  IconLayoutAlignLeft,
  IconLayoutAlignTop,
  IconLayoutDistributeHorizontal,
  IconLayoutDistributeVertical,
  IconLink,
  IconMagnet,
  IconPlus,
  IconSitemap,
  IconTrash,
  IconZoomIn,
  IconZoomOut,
  type TablerIcon,
} from "@tabler/icons-react";
import { type KeyboardEvent, useMemo, useState } from "react";
import type { ImageRow, MapDraft } from "@/api/maps";
import type { Id } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { DeleteButton } from "@/ui/delete-button";
import { FormError } from "@/ui/form";
import { UnsavedGuard } from "@/ui/unsaved";
import { useObjectMutations } from "@/widgets/objects/calls";
import { useMeanwhile } from "@/widgets/objects/edited";
import {
  type Alignment,
  alignElements,
  begin,
  changeElement,
  changeLine,
  changeLink,
  changeShape,
  changeTo,
  elementKey,
  faultOf,
  type History,
  linkElements,
  moveParts,
  newElement,
  newLine,
  newShape,
  type PartKey,
  redo,
  removeParts,
  selectedElements,
  snapAll,
  undo,
} from "./draft";
import { EditorCanvas, elementBox } from "./editor-canvas";
import { useIconSizes } from "./icon-sizes";
import { layOut } from "./layout";
import classes from "./maps.module.css";
import { ElementPanel, LinePanel, LinkPanel, MapPanel, ShapePanel } from "./panels";
import { MAPS, useTargetNames } from "./queries";
import { middle } from "./scene";

export interface MapEditorProps {
  /** undefined of a new one */
  readonly sysmapid: Id | undefined;
  readonly first: MapDraft;
  readonly images: readonly ImageRow[];
  readonly onDone: () => void;
}

/** Icons of new elements, by kind: Zabbix's names. */
const ICONS = ["Server_(64)", "Network_(64)", "Switch_(64)", "Cloud_(64)", "Cloud_(64)"];
const SCALES = [0.5, 0.75, 1, 1.5, 2];

export function MapEditor({ sysmapid, first, images, onDone }: MapEditorProps) {
  const [history, setHistory] = useState<History>(() => begin(first));
  const [selected, setSelected] = useState<readonly PartKey[]>([]);
  const [scale, setScale] = useState(1);
  const [attempted, setAttempted] = useState(false);
  const draft = history.now;
  const sizes = useIconSizes([
    draft.backgroundid,
    ...draft.selements.map(({ iconid_off }) => iconid_off),
  ]);
  const nameOf = useTargetNames(draft.selements);
  const { save, remove } = useObjectMutations(MAPS, onDone);
  const meanwhile = useMeanwhile({
    server: () => first,
    exists: sysmapid !== undefined,
    fields: draft,
    onTake: (next) => setHistory((before) => changeTo(before, next)),
    onSave: (whole, before) => {
      if (faultOf(whole) !== undefined) return;
      if (sysmapid === undefined) save.mutate({ draft: whole });
      else save.mutate({ id: sysmapid, change: changedPart(before, whole) });
    },
  });
  const fault = attempted ? faultOf(draft) : undefined;
  const set = (next: MapDraft) => setHistory((before) => changeTo(before, next));
  const step = (way: typeof undo) => {
    setHistory(way);
    setSelected([]);
  };
  const add = (next: MapDraft, key: PartKey) => {
    set(next);
    setSelected([key]);
  };
  const editor = { draft, selected, set, setSelected, add, step, images, sizes } as const;
  const submit = () => {
    setAttempted(true);
    const found = faultOf(draft);
    if (found === undefined) meanwhile.submit();
    else setSelected(found.key === undefined ? [] : [found.key]);
  };
  return (
    <section className={classes["editor"]} aria-label={t("Map editor")}>
      <UnsavedGuard draft={draft} base={meanwhile.base} />
      <div className={classes["tools"]} role="toolbar" aria-label={t("Tools")}>
        <AddMenu {...editor} />
        <Tool
          icon={IconLink}
          label={t("Link selected elements")}
          disabled={selectedElements(selected).length < 2}
          onClick={() => set(linkElements(draft, selectedElements(selected)))}
        />
        <Tool
          icon={IconTrash}
          label={t("Remove selected")}
          disabled={selected.length === 0}
          onClick={() => removeSelected(editor)}
        />
        <Tool
          icon={IconArrowBackUp}
          label={t("Undo")}
          disabled={history.past.length === 0}
          onClick={() => step(undo)}
        />
        <Tool
          icon={IconArrowForwardUp}
          label={t("Redo")}
          disabled={history.future.length === 0}
          onClick={() => step(redo)}
        />
        <AlignMenu {...editor} />
        <GridMenu {...editor} />
        <Tool
          icon={IconSitemap}
          label={t("Automatic layout")}
          disabled={draft.selements.length < 2}
          onClick={() => set(arranged(editor))}
        />
        <Tool
          icon={IconZoomOut}
          label={t("Zoom out")}
          disabled={scale === SCALES[0]}
          onClick={() => setScale(SCALES[SCALES.indexOf(scale) - 1] ?? scale)}
        />
        <Tool
          icon={IconZoomIn}
          label={t("Zoom in")}
          disabled={scale === SCALES.at(-1)}
          onClick={() => setScale(SCALES[SCALES.indexOf(scale) + 1] ?? scale)}
        />
        <span className={classes["spacer"]} />
        {sysmapid === undefined ? null : (
          <DeleteButton
            label={MAPS.words.remove}
            name={first.name}
            busy={remove.isPending}
            onDelete={() => remove.mutate(sysmapid)}
          >
            {MAPS.words.loss}
          </DeleteButton>
        )}
        <Button variant="default" onClick={onDone}>
          {t("Cancel")}
        </Button>
        <Button loading={save.isPending || meanwhile.checking} onClick={submit}>
          {sysmapid === undefined ? t("Create") : t("Save")}
        </Button>
      </div>
      {meanwhile.note}
      {save.error === null ? null : <FormError error={save.error} />}
      <div className={classes["work"]}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no scrolling of its own */}
        <div
          className={classes["desk"]}
          role="group"
          aria-label={t("Map area")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          tabIndex={0}
          onKeyDown={(event) => keysOf(event, editor)}
        >
          <EditorCanvas
            draft={draft}
            selected={selected}
            scale={scale}
            sizes={sizes}
            nameOf={nameOf}
            onSelect={setSelected}
            onChange={set}
          />
        </div>
        <aside className={classes["side"]} aria-label={t("Properties")}>
          <Properties {...editor} sysmapid={sysmapid} fault={fault?.what} nameOf={nameOf} />
        </aside>
      </div>
    </section>
  );
}

interface EditorParts {
  readonly draft: MapDraft;
  readonly selected: readonly PartKey[];
  readonly images: readonly ImageRow[];
  readonly sizes: ReturnType<typeof useIconSizes>;
  readonly set: (draft: MapDraft) => void;
  readonly setSelected: (keys: readonly PartKey[]) => void;
  readonly add: (draft: MapDraft, key: PartKey) => void;
  readonly step: (way: typeof undo) => void;
}

function removeSelected({ draft, selected, set, setSelected }: EditorParts): void {
  if (selected.length === 0) return;
  set(removeParts(draft, selected));
  setSelected([]);
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Keys of the sheet; those of fields are theirs. */
function keysOf(event: KeyboardEvent, editor: EditorParts): void {
  const withCtrl = event.ctrlKey || event.metaKey;
  const action = withCtrl ? withCtrlKey(event, editor) : withoutCtrl(event, editor);
  if (action === undefined) return;
  action();
  event.preventDefault();
}

type Action = (() => void) | undefined;

function withCtrlKey(event: KeyboardEvent, { draft, setSelected, step }: EditorParts): Action {
  const back = event.shiftKey ? redo : undo;
  const actions: Readonly<Record<string, () => void>> = {
    z: () => step(back),
    y: () => step(redo),
    a: () => setSelected(draft.selements.map(elementKey)),
  };
  return actions[event.key.toLowerCase()];
}

function withoutCtrl(event: KeyboardEvent, editor: EditorParts): Action {
  const { draft, selected, set, setSelected } = editor;
  const move = MOVES[event.key];
  if (move !== undefined && selected.length > 0) {
    const far = event.shiftKey ? Number(draft.grid_size) : 1;
    return () => set(moveParts(draft, selected, { x: move[0] * far, y: move[1] * far }));
  }
  switch (event.key) {
    case "Delete":
    case "Backspace":
      return () => removeSelected(editor);
    case "Escape":
      return () => setSelected([]);
    case "l":
      return () => set(linkElements(draft, selectedElements(selected)));
    default:
      return undefined;
  }
}

interface ToolProps {
  readonly icon: TablerIcon;
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function Tool({ icon: Icon, label, disabled = false, onClick }: ToolProps) {
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon aria-label={label} disabled={disabled} onClick={onClick} size={30}>
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

const ADDED: readonly (readonly [number, string])[] = [
  [0, t("Host")],
  [3, t("Host group")],
  [2, t("Trigger")],
  [1, t("Map")],
  [4, t("Image")],
];

function AddMenu({ draft, images, add }: EditorParts) {
  const iconOf = (kind: number) => {
    const icons = images.filter(({ imagetype }) => imagetype === "1");
    const named = icons.find(({ name }) => name === ICONS[kind]);
    return (named ?? icons[0])?.imageid ?? "0";
  };
  // each a step from the one before, so that they do not lie on each other
  const n = draft.selements.length + draft.shapes.length + draft.lines.length;
  const at = { x: 50 + (n % 8) * 100, y: 50 + (Math.floor(n / 8) % 5) * 100 };
  const addElement = (kind: number) => {
    const element = newElement(draft, kind, { icon: iconOf(kind), at });
    add({ ...draft, selements: [...draft.selements, element] }, elementKey(element));
  };
  const addShape = (type: "0" | "1") =>
    add({ ...draft, shapes: [...draft.shapes, newShape(type, at)] }, `s:${draft.shapes.length}`);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button leftSection={<IconPlus size={14} />}>{t("Add")}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ADDED.map(([kind, name]) => (
          <Menu.Item key={kind} onClick={() => addElement(kind)}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => addShape("0")}>{t("Rectangle")}</Menu.Item>
        <Menu.Item onClick={() => addShape("1")}>{t("Ellipse")}</Menu.Item>
        <Menu.Item
          onClick={() =>
            add({ ...draft, lines: [...draft.lines, newLine(at)] }, `n:${draft.lines.length}`)
          }
        >
          {t("Line")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const ALIGNMENTS: readonly (readonly [Alignment, string, TablerIcon])[] = [
  ["left", t("Left edges"), IconLayoutAlignLeft],
  ["center", t("Horizontal centers"), IconLayoutAlignCenter],
  ["right", t("Right edges"), IconLayoutAlignLeft],
  ["top", t("Top edges"), IconLayoutAlignTop],
  ["middle", t("Vertical centers"), IconLayoutAlignCenter],
  ["bottom", t("Bottom edges"), IconLayoutAlignTop],
  ["row", t("Distribute horizontally"), IconLayoutDistributeHorizontal],
  ["column", t("Distribute vertically"), IconLayoutDistributeVertical],
];

function AlignMenu({ draft, selected, sizes, set }: EditorParts) {
  const ids = selectedElements(selected);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon aria-label={t("Align")} size={30} disabled={ids.length < 2}>
          <IconLayoutAlignLeft size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {ALIGNMENTS.map(([how, name, Icon]) => (
          <Menu.Item
            key={how}
            leftSection={<Icon size={15} />}
            onClick={() => set(alignElements(draft, ids, how, (it) => elementBox(it, sizes)))}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function GridMenu({ draft, set }: EditorParts) {
  const flag = (name: "grid_show" | "grid_align") => () =>
    set({ ...draft, [name]: draft[name] === "1" ? "0" : "1" });
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon aria-label={t("Grid")} size={30}>
          <IconGrid4x4 size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={flag("grid_show")}>
          {draft.grid_show === "1" ? t("Hide grid") : t("Show grid")}
        </Menu.Item>
        <Menu.Item onClick={flag("grid_align")}>
          {draft.grid_align === "1" ? t("Do not snap to grid") : t("Snap to grid")}
        </Menu.Item>
        <Menu.Divider />
        {["20", "40", "50", "75", "100"].map((size) => (
          <Menu.Item
            key={size}
            disabled={draft.grid_size === size}
            onClick={() => set({ ...draft, grid_size: size })}
          >
            {t("{n} pixels", { n: size })}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconMagnet size={15} />} onClick={() => set(snapAll(draft))}>
          {t("Align all to grid")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** From the edge of the map to the middle of an element: its label has room. */
const MARGIN = 70;

function arranged({ draft, sizes }: EditorParts): MapDraft {
  const boxes = new Map(draft.selements.map((it) => [it.selementid, elementBox(it, sizes)]));
  const nodes = [...boxes].map(([id, box]) => ({ id, ...middle(box) }));
  const edges = draft.links.map((it) => ({ from: it.selementid1, to: it.selementid2 }));
  const area = { width: Number(draft.width), height: Number(draft.height), margin: MARGIN };
  const places = layOut(nodes, edges, area);
  let next = draft;
  for (const [id, box] of boxes) {
    const at = places.get(id);
    if (at === undefined) continue;
    const corner = (middleAt: number, size: number) =>
      String(Math.max(0, Math.round(middleAt - size / 2)));
    next = changeElement(next, id, { x: corner(at.x, box.width), y: corner(at.y, box.height) });
  }
  return next;
}

interface PropertiesProps extends EditorParts {
  readonly sysmapid: Id | undefined;
  readonly fault: NonNullable<ReturnType<typeof faultOf>>["what"] | undefined;
  readonly nameOf: ReturnType<typeof useTargetNames>;
}

function Properties(props: PropertiesProps) {
  const { draft, selected, images, fault, sysmapid, set } = props;
  const [key] = selected;
  const element = useMemo(
    () => draft.selements.find((it) => elementKey(it) === key),
    [draft.selements, key],
  );
  if (selected.length > 1) return <Several {...props} />;
  if (element !== undefined) {
    return (
      <ElementPanel
        key={key}
        element={element}
        draft={draft}
        images={images}
        sysmapid={sysmapid}
        fault={fault}
        set={(change) => set(changeElement(draft, element.selementid, change))}
      />
    );
  }
  const at = Number(key?.slice(2));
  const [link, shape, line] = [draft.links[at], draft.shapes[at], draft.lines[at]];
  if (key?.startsWith("l:") && link !== undefined) {
    return (
      <LinkPanel key={key} link={link} fault={fault} set={(it) => set(changeLink(draft, at, it))} />
    );
  }
  if (key?.startsWith("s:") && shape !== undefined) {
    return <ShapePanel key={key} shape={shape} set={(it) => set(changeShape(draft, at, it))} />;
  }
  if (key?.startsWith("n:") && line !== undefined) {
    return <LinePanel key={key} line={line} set={(it) => set(changeLine(draft, at, it))} />;
  }
  return (
    <>
      <MapPanel
        draft={draft}
        images={images}
        fault={fault}
        set={(change) => set({ ...draft, ...change })}
      />
      <LinkList {...props} />
    </>
  );
}

function Several({ draft, selected, nameOf, setSelected }: PropertiesProps) {
  const ids = selectedElements(selected);
  const elements = draft.selements.filter(({ selementid }) => ids.includes(selementid));
  return (
    <div className={classes["fields"]}>
      <h2>{t("{n} selected", { n: selected.length })}</h2>
      <p className="dim">
        {t("L links them, the arrow keys move them. The tools align and remove them.")}
      </p>
      {elements.map((it) => (
        <Button
          key={it.selementid}
          variant="default"
          size="compact-sm"
          onClick={() => setSelected([elementKey(it)])}
        >
          {nameOf(it) || it.label || t("Element")}
        </Button>
      ))}
    </div>
  );
}

/** Links are thin: here they can be picked by name. */
function LinkList({ draft, nameOf, setSelected }: PropertiesProps) {
  if (draft.links.length === 0) return null;
  const named = (id: Id) => {
    const element = draft.selements.find(({ selementid }) => selementid === id);
    return element === undefined ? "" : nameOf(element) || element.label || t("Element");
  };
  return (
    <div className={classes["fields"]}>
      <h2>{t("Links")}</h2>
      {draft.links.map((it, at) => (
        <Button
          // biome-ignore lint/suspicious/noArrayIndexKey: new links have no other name
          key={at}
          variant="default"
          size="compact-sm"
          onClick={() => setSelected([`l:${at}`])}
        >
          {`${named(it.selementid1)} – ${named(it.selementid2)}`}
        </Button>
      ))}
    </div>
  );
}
