// The sheet of the editor: parts are picked, moved and stretched by the pointer, or by keys.

import { type PointerEvent, useMemo, useRef, useState } from "react";
import type { MapDraft, MapElement, MapLine, MapShape } from "@/api/maps";
import { t } from "@/lib/i18n";
import {
  changeElement,
  changeLine,
  changeShape,
  elementKey,
  moveParts,
  onGrid,
  type PartKey,
} from "./draft";
import {
  Background,
  IconFigure,
  LabelFigure,
  LineFigure,
  LinkFigure,
  ShapeFigure,
} from "./figures";
import type { Sizes } from "./icon-sizes";
import classes from "./maps.module.css";
import { type Box, bends, iconBox, linkPath, middle, type Point } from "./scene";

export interface EditorCanvasProps {
  readonly draft: MapDraft;
  readonly selected: readonly PartKey[];
  readonly scale: number;
  readonly sizes: Sizes;
  readonly nameOf: (element: MapElement) => string;
  readonly onSelect: (keys: readonly PartKey[]) => void;
  readonly onChange: (draft: MapDraft) => void;
}

/** What a press that is held does. */
type Drag =
  | { readonly kind: "move"; readonly from: Point }
  | { readonly kind: "band"; readonly from: Point; readonly to: Point }
  | { readonly kind: "stretch"; readonly key: PartKey; readonly end: 1 | 2; readonly from: Point };

export function elementBox(element: MapElement, sizes: Sizes): Box {
  const place = { x: Number(element.x), y: Number(element.y), centered: false };
  return iconBox(place, sizes.get(element.iconid_off));
}

/** Whether each host of the group stands in an area of its own. */
function hasArea({ elementtype, elementsubtype, areatype }: MapElement): boolean {
  return elementtype === "3" && elementsubtype === "1" && areatype === "1";
}

export function EditorCanvas(props: EditorCanvasProps) {
  const { draft, selected, scale, onSelect, onChange } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const [preview, setPreview] = useState<MapDraft | undefined>(undefined);
  const shown = preview ?? draft;
  const snaps = draft.grid_align === "1";

  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const edge = svg.current?.getBoundingClientRect();
    if (edge === undefined) return { x: 0, y: 0 };
    return { x: (clientX - edge.left) / scale, y: (clientY - edge.top) / scale };
  };
  const press = (event: PointerEvent, key: PartKey) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    svg.current?.setPointerCapture(event.pointerId);
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      const isIn = selected.includes(key);
      onSelect(isIn ? selected.filter((it) => it !== key) : [...selected, key]);
      return;
    }
    if (!selected.includes(key)) onSelect([key]);
    if (!key.startsWith("l:")) setDrag({ kind: "move", from: pointOf(event) });
  };
  const stretch = (event: PointerEvent, key: PartKey, end: 1 | 2) => {
    event.stopPropagation();
    svg.current?.setPointerCapture(event.pointerId);
    setDrag({ kind: "stretch", key, end, from: pointOf(event) });
  };
  const move = (event: PointerEvent) => {
    if (drag === undefined) return;
    const at = pointOf(event);
    const by = { x: at.x - drag.from.x, y: at.y - drag.from.y };
    if (drag.kind === "band") setDrag({ ...drag, to: at });
    else if (drag.kind === "move") setPreview(moveParts(draft, selected, by, snaps));
    else setPreview(stretched(draft, drag, by));
  };
  const up = () => {
    if (drag?.kind === "band") onSelect(within(draft, bandBox(drag), props.sizes));
    // a press that moved nothing changes nothing
    else if (preview !== undefined && drag !== undefined) onChange(preview);
    setDrag(undefined);
    setPreview(undefined);
  };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: what is in it has names
    <svg
      ref={svg}
      className={classes["drawing"]}
      width={Number(draft.width) * scale}
      height={Number(draft.height) * scale}
      viewBox={`0 0 ${draft.width} ${draft.height}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        onSelect([]);
        const at = pointOf(event);
        setDrag({ kind: "band", from: at, to: at });
      }}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      <Background {...draft} size={props.sizes.get(draft.backgroundid)}>
        {draft.grid_show === "1" ? <Grid draft={draft} /> : null}
      </Background>
      <Parts {...props} draft={shown} onPress={press} onStretch={stretch} />
      {drag?.kind === "band" ? <rect className={classes["band"]} {...bandBox(drag)} /> : null}
    </svg>
  );
}

function bandBox({ from, to }: { readonly from: Point; readonly to: Point }): Box {
  return {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(from.x - to.x),
    height: Math.abs(from.y - to.y),
  };
}

/** Parts that lie in a box as a whole. */
function within(draft: MapDraft, band: Box, sizes: Sizes): readonly PartKey[] {
  const isIn = ({ x, y, width, height }: Box) =>
    band.x <= x &&
    band.y <= y &&
    x + width <= band.x + band.width &&
    y + height <= band.y + band.height;
  return [
    ...draft.selements.filter((it) => isIn(elementBox(it, sizes))).map(elementKey),
    ...draft.shapes.flatMap((it, at) => (isIn(shapeBox(it)) ? [`s:${at}`] : [])),
    ...draft.lines.flatMap((it, at) => (isIn(lineBox(it)) ? [`n:${at}`] : [])),
  ];
}

function shapeBox({ x, y, width, height }: Pick<MapShape, "x" | "y" | "width" | "height">): Box {
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
}

function lineBox({ x1, y1, x2, y2 }: MapLine): Box {
  return bandBox({
    from: { x: Number(x1), y: Number(y1) },
    to: { x: Number(x2), y: Number(y2) },
  });
}

const SIDE_MIN = 10;

function stretched(draft: MapDraft, drag: Extract<Drag, { kind: "stretch" }>, by: Point): MapDraft {
  const size = draft.grid_align === "1" ? Number(draft.grid_size) : 1;
  const at = (value: string, step: number, least: number) =>
    String(Math.round(Math.max(onGrid(Number(value) + step, size), least)));
  const sides = ({ width, height }: { readonly width: string; readonly height: string }) => ({
    width: at(width, by.x, SIDE_MIN),
    height: at(height, by.y, SIDE_MIN),
  });
  const [kind, id = ""] = drag.key.split(":");
  if (kind === "e") {
    const element = draft.selements.find((it) => it.selementid === id);
    return element === undefined ? draft : changeElement(draft, id, sides(element));
  }
  if (kind === "s") {
    const shape = draft.shapes[Number(id)];
    return shape === undefined ? draft : changeShape(draft, Number(id), sides(shape));
  }
  const line = draft.lines[Number(id)];
  if (line === undefined) return draft;
  const change =
    drag.end === 1
      ? { x1: at(line.x1, by.x, 0), y1: at(line.y1, by.y, 0) }
      : { x2: at(line.x2, by.x, 0), y2: at(line.y2, by.y, 0) };
  return changeLine(draft, Number(id), change);
}

function Grid({ draft }: { readonly draft: MapDraft }) {
  const [width, height, size] = [
    Number(draft.width),
    Number(draft.height),
    Number(draft.grid_size),
  ];
  const steps = (length: number) =>
    Array.from({ length: Math.ceil(length / size) - 1 }, (_, at) => (at + 1) * size);
  const across = steps(width).map((x) => `M${x} 0V${height}`);
  const down = steps(height).map((y) => `M0 ${y}H${width}`);
  return <path className={classes["grid"]} d={[...across, ...down].join("")} />;
}

function linkName(label: string, at: number): string {
  const text = label.split("\n").filter((it) => it !== "");
  return [t("Link {n}", { n: at + 1 }), text.join(" ")].filter((it) => it !== "").join(": ");
}

interface PartsProps extends EditorCanvasProps {
  readonly onPress: (event: PointerEvent, key: PartKey) => void;
  readonly onStretch: (event: PointerEvent, key: PartKey, end: 1 | 2) => void;
}

function Parts(props: PartsProps) {
  const { draft, selected, sizes, onSelect, onPress } = props;
  const boxes = useMemo(
    () => new Map(draft.selements.map((it) => [it.selementid, elementBox(it, sizes)])),
    [draft.selements, sizes],
  );
  const ends = draft.links.map((it) => ({ from: it.selementid1, to: it.selementid2 }));
  const curves = bends(ends);
  const part = (key: PartKey, label: string) => ({
    className: classes["part"],
    role: "button",
    tabIndex: 0,
    "aria-label": label,
    "aria-pressed": selected.includes(key),
    "data-part": key,
    onPointerDown: (event: PointerEvent) => onPress(event, key),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      onSelect(event.shiftKey ? [...selected.filter((it) => it !== key), key] : [key]);
    },
  });
  return (
    <>
      {draft.shapes.map((shape, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new shapes have no other name
        <g key={at} {...part(`s:${at}`, shapeName(shape, at))}>
          <rect className={classes["focus"]} {...shapeBox(shape)} />
          <ShapeFigure shape={shape} />
          <Chosen {...props} of={`s:${at}`} box={shapeBox(shape)} stretches />
        </g>
      ))}
      {draft.lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new lines have no other name
        <g key={at} {...part(`n:${at}`, t("Line {n}", { n: at + 1 }))}>
          <line className={classes["pick"]} x1={line.x1} y1={line.y1} x2={line.x2} y2={line.y2} />
          <LineFigure line={line} />
          {selected.includes(`n:${at}`) ? (
            <>
              <Handle {...props} of={`n:${at}`} end={1} x={Number(line.x1)} y={Number(line.y1)} />
              <Handle {...props} of={`n:${at}`} end={2} x={Number(line.x2)} y={Number(line.y2)} />
            </>
          ) : null}
        </g>
      ))}
      {draft.links.map((link, at) => {
        const [from, to] = [boxes.get(link.selementid1), boxes.get(link.selementid2)];
        if (from === undefined || to === undefined) return null;
        const path = linkPath(middle(from), middle(to), curves[at] ?? 0);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: new links have no other name
          <g key={at} {...part(`l:${at}`, linkName(link.label, at))}>
            <LinkFigure
              path={path}
              color={link.color}
              drawtype={Number(link.drawtype)}
              label={link.label}
              selected={selected.includes(`l:${at}`)}
            />
            <path className={classes["pick"]} d={path.d} />
          </g>
        );
      })}
      {draft.selements.map((it) => (
        <g key={it.selementid} {...part(elementKey(it), elementName(props, it))}>
          <Element {...props} element={it} box={elementBox(it, sizes)} />
        </g>
      ))}
    </>
  );
}

function shapeName(shape: MapShape, at: number): string {
  return shape.text === "" ? t("Shape {n}", { n: at + 1 }) : shape.text.replaceAll("\n", " ");
}

/** As it is spoken: with the label that stands there, where that says something else. */
function elementName(props: Pick<EditorCanvasProps, "nameOf">, element: MapElement): string {
  const name = props.nameOf(element);
  const written = writtenLabel(element, name).replaceAll("\n", " ");
  if (name === "") return written || t("Element");
  return name.includes(written) ? name : `${name}, ${written}`;
}

const OWN_NAME = /\{(?:HOST|MAP)\.NAME\}/g;

function writtenLabel({ label }: MapElement, name: string): string {
  return label.replaceAll(OWN_NAME, () => name);
}

interface ElementProps extends PartsProps {
  readonly element: MapElement;
  readonly box: Box;
}

function Element(props: ElementProps) {
  const { element, box, draft, nameOf } = props;
  const key = elementKey(element);
  const name = nameOf(element);
  const isNamed = draft.label_type === "2" && element.elementtype !== "4";
  const written = isNamed ? name : writtenLabel(element, name);
  const texts = draft.label_type === "3" || draft.label_type === "4" ? [] : written.split("\n");
  const lines = texts.filter((it) => it !== "").map((text) => ({ text, tone: "name" as const }));
  const own = element.label_location === "-1" ? draft.label_location : element.label_location;
  const area = shapeBox(element);
  return (
    <>
      {hasArea(element) ? <rect className={classes["area"]} {...area} /> : null}
      <rect className={classes["focus"]} {...box} />
      <IconFigure box={box} imageid={element.iconid_off} />
      <LabelFigure box={box} lines={lines} location={Number(own)} />
      {hasArea(element) ? (
        <Chosen {...props} of={key} box={area} stretches />
      ) : (
        <Chosen {...props} of={key} box={box} />
      )}
    </>
  );
}

interface ChosenProps extends PartsProps {
  readonly of: PartKey;
  readonly box: Box;
  readonly stretches?: boolean;
}

function Chosen(props: ChosenProps) {
  const { of, box, selected, stretches = false } = props;
  if (!selected.includes(of)) return null;
  const { x, y, width, height } = box;
  return (
    <>
      <rect
        className={classes["chosen"]}
        x={x - 4}
        y={y - 4}
        width={width + 8}
        height={height + 8}
      />
      {stretches ? <Handle {...props} end={2} x={x + width} y={y + height} /> : null}
    </>
  );
}

interface HandleProps extends PartsProps, Point {
  readonly of: PartKey;
  readonly end: 1 | 2;
}

function Handle({ of, end, x, y, onStretch }: HandleProps) {
  return (
    <circle
      className={classes["handle"]}
      cx={x}
      cy={y}
      r={6}
      onPointerDown={(event) => onStretch(event, of, end)}
    />
  );
}
