// The drawing of a map: zoomed and moved, and what a click on an element leads to.

import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowsMaximize,
  IconFocusCentered,
  IconZoomIn,
  IconZoomOut,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { type DrawnElement, type DrawnMap, HOST, HOST_GROUP, SUBMAP } from "@/api/maps";
import { t } from "@/lib/i18n";
import { safeUrl } from "@/lib/link";
import {
  Background,
  IconFigure,
  LabelFigure,
  LineFigure,
  LinkFigure,
  Marks,
  ShapeFigure,
} from "./figures";
import { labelWidth } from "./label-width";
import classes from "./maps.module.css";
import {
  type Box,
  bends,
  elementTitle,
  labelLines,
  linkPath,
  middle,
  type PlacedElement,
  type Point,
  placedElement,
  wholeView,
  zoomed,
} from "./scene";

const STEP = 1.25;
/** A press that moves less is a click. */
const CLICK_PX = 4;

interface Opened {
  readonly element: DrawnElement;
  /** within the frame */
  readonly at: Point;
}

export interface MapViewProps {
  readonly map: DrawnMap;
  /** the wheel of the mouse zooms; without, the page scrolls */
  readonly hasWheel?: boolean;
}

export function MapView({ map, hasWheel = true }: MapViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const whole = useMemo(() => wholeView(map), [map]);
  const [view, setView] = useState<Box | undefined>(undefined);
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const shown = view ?? whole;
  const zoom = (factor: number, at: Point = middle(shown)) =>
    setView((before) => zoomed(before ?? whole, whole, factor, at));
  useWheel(svg, zoom, hasWheel);
  const hand = useHand(svg, shown, setView);
  const keys = (event: KeyboardEvent) => {
    const step = shown.width / 10;
    const by = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "+") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") setView(undefined);
    else if (by !== undefined) {
      setView({ ...shown, x: shown.x + (by[0] ?? 0), y: shown.y + (by[1] ?? 0) });
    } else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is within come here
    <div className={classes["frame"]} ref={frame} onKeyDown={keys}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: what is in it has names */}
      <svg
        ref={svg}
        className={classes["canvas"]}
        viewBox={`${shown.x} ${shown.y} ${shown.width} ${shown.height}`}
        data-held={hand.held || undefined}
        {...hand.handlers}
      >
        <Drawing
          map={map}
          onOpen={(element, place) => {
            const edge = frame.current?.getBoundingClientRect();
            if (hand.hasMoved() || edge === undefined) return;
            setOpened({ element, at: { x: place.x - edge.x, y: place.y - edge.y } });
          }}
        />
      </svg>
      <ElementMenu opened={opened} onClose={() => setOpened(undefined)} />
      <div className={classes["zoom"]} role="toolbar" aria-label={t("View")}>
        <ActionIcon aria-label={t("Zoom in")} onClick={() => zoom(STEP)}>
          <IconZoomIn size={16} />
        </ActionIcon>
        <ActionIcon aria-label={t("Zoom out")} onClick={() => zoom(1 / STEP)}>
          <IconZoomOut size={16} />
        </ActionIcon>
        <ActionIcon aria-label={t("Whole map")} onClick={() => setView(undefined)}>
          <IconFocusCentered size={16} />
        </ActionIcon>
        <ActionIcon
          aria-label={t("Full screen")}
          onClick={() => void toggleFullScreen(frame.current)}
        >
          <IconArrowsMaximize size={16} />
        </ActionIcon>
      </div>
    </div>
  );
}

async function toggleFullScreen(frame: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement === null) await frame?.requestFullscreen();
  else await document.exitFullscreen();
}

function pointOf(
  svg: SVGSVGElement,
  { clientX, clientY }: { clientX: number; clientY: number },
): Point {
  const matrix = svg.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
  return { x, y };
}

/** With a listener of its own: React's are passive, and the page must not scroll instead. */
function useWheel(
  svg: React.RefObject<SVGSVGElement | null>,
  zoom: (factor: number, at: Point) => void,
  enabled: boolean,
): void {
  const latest = useRef(zoom);
  useEffect(() => {
    latest.current = zoom;
  });
  useEffect(() => {
    const element = svg.current;
    if (element === null || !enabled) return undefined;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event.deltaY < 0 ? STEP : 1 / STEP, pointOf(element, event));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [svg, enabled]);
}

/** Moves the map with the pointer. */
function useHand(
  svg: React.RefObject<SVGSVGElement | null>,
  shown: Box,
  setView: (view: Box) => void,
) {
  const [held, setHeld] = useState<{ readonly from: Point; readonly view: Box } | undefined>();
  const moved = useRef(false);
  const down = (event: React.PointerEvent) => {
    moved.current = false;
    if (event.button === 0) setHeld({ from: { x: event.clientX, y: event.clientY }, view: shown });
  };
  const move = (event: React.PointerEvent) => {
    const matrix = svg.current?.getScreenCTM();
    if (held === undefined || !matrix) return;
    const [dx, dy] = [event.clientX - held.from.x, event.clientY - held.from.y];
    if (Math.hypot(dx, dy) < CLICK_PX && !moved.current) return;
    moved.current = true;
    setView({ ...held.view, x: held.view.x - dx / matrix.a, y: held.view.y - dy / matrix.d });
  };
  const up = () => setHeld(undefined);
  return {
    held: held !== undefined,
    /** the press that ends was no click */
    hasMoved: () => moved.current,
    handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerLeave: up },
  };
}

interface DrawingProps {
  readonly map: DrawnMap;
  readonly onOpen: (element: DrawnElement, place: Point) => void;
}

function Drawing({ map, onOpen }: DrawingProps) {
  const placed = useMemo(
    () =>
      new Map(
        map.elements.map((it) => [
          it.id,
          placedElement(it, map.images[it.iconid], map, labelWidth),
        ]),
      ),
    [map],
  );
  const curves = useMemo(() => bends(map.links), [map.links]);
  const elements = useMemo(
    () => [...map.elements].sort((a, b) => a.zindex - b.zindex),
    [map.elements],
  );
  return (
    <>
      <Background {...map} size={map.images[map.backgroundid]} />
      {layers(map).map(({ key, figure }) => (
        <g key={key}>{figure}</g>
      ))}
      {map.areas.map((it) => (
        <g key={it.selementid}>
          <rect className={classes["area"]} x={it.x} y={it.y} width={it.width} height={it.height} />
          <text className={classes["areaName"]} x={it.x + 6} y={areaNameY(it.y)}>
            {it.hidden === 0 ? it.name : t("{name}: {n} more", { name: it.name, n: it.hidden })}
          </text>
        </g>
      ))}
      {map.links.map((link, at) => {
        const [from, to] = [placed.get(link.from)?.box, placed.get(link.to)?.box];
        if (from === undefined || to === undefined) return null;
        const path = linkPath(middle(from), middle(to), curves[at] ?? 0);
        return (
          <g key={link.id} data-link={link.id} data-problem={link.problem || undefined}>
            <LinkFigure path={path} {...link} />
          </g>
        );
      })}
      {elements.map((it) => {
        const place = placed.get(it.id);
        return place === undefined ? null : (
          <ElementFigure key={it.id} element={it} {...place} map={map} onOpen={onOpen} />
        );
      })}
    </>
  );
}

/** Above the area, where hosts do not stand; within at the upper edge of the map. */
function areaNameY(top: number): number {
  return top >= 16 ? top - 5 : top + 14;
}

/** Shapes and lines, the lowest first. */
function layers(map: DrawnMap) {
  const shapes = map.shapes.map((shape, at) => ({
    key: `s${at}`,
    z: Number(shape.zindex),
    figure: <ShapeFigure shape={shape} />,
  }));
  const lines = map.lines.map((line, at) => ({
    key: `n${at}`,
    z: Number(line.zindex),
    figure: <LineFigure line={line} />,
  }));
  return [...shapes, ...lines].sort((a, b) => a.z - b.z);
}

interface ElementFigureProps extends DrawingProps, PlacedElement {
  readonly element: DrawnElement;
}

function ElementFigure({ element, box, lines, whole, map, onOpen }: ElementFigureProps) {
  const navigate = useNavigate();
  const label = (
    <LabelFigure
      box={box}
      lines={lines}
      location={element.label_location}
      always={element.always}
      shortened={whole !== undefined}
    />
  );
  const figure = (
    <>
      {whole === undefined ? null : <title>{whole}</title>}
      <rect className={classes["focus"]} {...grown(box)} rx={6} />
      <IconFigure
        box={box}
        imageid={element.iconid}
        state={element.state}
        highlights={map.highlight === "1"}
        marksChanges={map.markelements === "1"}
        dimmed={!element.readable}
      />
      {whole === undefined ? label : null}
    </>
  );
  const title = elementTitle(element, map);
  // what is shortened stands next to what is named, too: the name says all of it
  const marks = (
    <>
      {whole === undefined ? null : label}
      <Marks box={box} state={element.state} />
    </>
  );
  if (!leadsSomewhere(element)) {
    return (
      <g data-element={title}>
        {figure}
        {marks}
      </g>
    );
  }
  const open = (place: Point) => {
    const [target] = element.targets;
    if (element.elementtype === SUBMAP && target !== undefined && element.urls.length === 0) {
      void navigate({ to: "/maps/$sysmapid", params: { sysmapid: target } });
    } else onOpen(element, place);
  };
  const button = (
    // biome-ignore lint/a11y/useSemanticElements: there are no buttons in SVG
    <g
      className={classes["element"]}
      role="button"
      tabIndex={0}
      aria-label={spokenName(title, labelLines(element, map))}
      data-element={title}
      onClick={({ clientX, clientY }) => open({ x: clientX, y: clientY })}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        const { right, top } = event.currentTarget.getBoundingClientRect();
        open({ x: right, y: top });
      }}
    >
      {figure}
    </g>
  );
  return (
    <g>
      {button}
      {marks}
    </g>
  );
}

/** The title, behind what is written at the element where that says something else. */
function spokenName(title: string, lines: readonly { readonly text: string }[]): string {
  const written = lines.map(({ text }) => text).join(", ");
  return written === "" || title.includes(written) ? title : `${written}, ${title}`;
}

function grown({ x, y, width, height }: Box) {
  return { x: x - 4, y: y - 4, width: width + 8, height: height + 8 };
}

function leadsSomewhere({ readable, targets, urls }: DrawnElement): boolean {
  return readable && (targets.length > 0 || urls.length > 0);
}

interface ElementMenuProps {
  readonly opened: Opened | undefined;
  readonly onClose: () => void;
}

function ElementMenu({ opened, onClose }: ElementMenuProps) {
  return (
    <Menu
      opened={opened !== undefined}
      onClose={onClose}
      // within what may be the full screen
      withinPortal={false}
      position="bottom-start"
      returnFocus
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={t("Links of the element")}
          className={classes["menuTarget"]}
          style={{ left: opened?.at.x ?? 0, top: opened?.at.y ?? 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {opened === undefined ? null : <Places element={opened.element} />}
      </Menu.Dropdown>
    </Menu>
  );
}

interface Place {
  readonly name: string;
  readonly href: string;
  readonly isOutside?: boolean;
}

/** Where an element leads. */
function placesOf({ elementtype: kind, state, targets, urls }: DrawnElement): readonly Place[] {
  const [target = ""] = targets;
  const worst = state.eventid;
  const own: Place[] =
    worst === null ? [] : [{ name: t("Worst problem"), href: `/events/${worst}` }];
  if (kind === HOST) {
    own.push(
      { name: t("Problems"), href: `/hosts/${target}/problems` },
      { name: t("Graphs"), href: `/hosts/${target}/graphs` },
      { name: t("Latest data"), href: `/hosts/${target}/latest` },
      { name: t("Configuration"), href: `/hosts/${target}/configuration` },
    );
  } else if (kind === HOST_GROUP) {
    own.push(
      { name: t("Hosts"), href: `/hosts?groups=${target}` },
      { name: t("Latest data"), href: `/latest?groups=${target}` },
    );
  } else if (kind === SUBMAP) own.push({ name: t("Open map"), href: `/maps/${target}` });
  const outside = urls.flatMap(({ name, url }) => {
    const href = safeUrl(url);
    return href === undefined ? [] : [{ name, href, isOutside: true }];
  });
  const all = [...own, ...outside];
  return all.length === 0 ? [{ name: t("Problems"), href: "/problems" }] : all;
}

function Places({ element }: { readonly element: DrawnElement }) {
  const navigate = useNavigate();
  return (
    <>
      <Menu.Label>{element.name}</Menu.Label>
      {placesOf(element).map(({ name, href, isOutside = false }) => (
        <Menu.Item
          key={`${name} ${href}`}
          component="a"
          href={href}
          {...(isOutside ? { target: "_blank", rel: "noreferrer" } : {})}
          onClick={(event) => {
            // others open it in a tab of its own
            if (isOutside || event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            void navigate({ href });
          }}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  );
}
