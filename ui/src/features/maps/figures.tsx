// What a map is drawn of, for its page and its editor alike.

import type { ReactNode } from "react";
import { type ElementState, imageAddress, type MapLine, type MapShape } from "@/api/maps";
import type { Id } from "@/api/types";
import { toSeverity } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import classes from "./maps.module.css";
import {
  type Box,
  fontFamily,
  ink,
  LABEL_PX,
  type LabelLine,
  type LinkPath,
  lineLook,
  linkLook,
  middle,
  placeLabel,
} from "./scene";

const MARK_PX = 18;
const RING_PX = 7;

export interface IconFigureProps {
  readonly box: Box;
  readonly imageid: Id;
  readonly state?: ElementState;
  readonly highlights?: boolean;
  readonly marksChanges?: boolean;
  readonly dimmed?: boolean;
}

/** An icon with what its state adds: a ring of the severity. */
export function IconFigure(props: IconFigureProps) {
  const { box, imageid, state, highlights = false, marksChanges = false, dimmed = false } = props;
  const isOff = state !== undefined && isAll(state, state.disabled);
  return (
    <>
      {highlights && state !== undefined ? (
        <Ring box={box} state={state} marksChanges={marksChanges} />
      ) : null}
      <image
        href={imageAddress(imageid)}
        x={box.x}
        y={box.y}
        width={box.width}
        height={box.height}
        opacity={isOff || dimmed ? 0.45 : 1}
      />
    </>
  );
}

/** Without problems, all that it stands for is so. */
function isAll(state: ElementState, n: number): boolean {
  return state.problems === 0 && state.objects > 0 && n === state.objects;
}

interface RingProps {
  readonly box: Box;
  readonly state: ElementState;
  readonly marksChanges: boolean;
}

function Ring({ box, state, marksChanges }: RingProps) {
  const { x: cx, y: cy } = middle(box);
  const r = Math.max(box.width, box.height) / 2 + RING_PX;
  if (isAll(state, state.maintenance)) {
    return <circle className={classes["maintained"]} cx={cx} cy={cy} r={r} />;
  }
  if (state.problems === 0) return null;
  return (
    <circle
      className={classes["ring"]}
      data-severity={toSeverity(state.severity)}
      data-changed={(marksChanges && state.changed) || undefined}
      cx={cx}
      cy={cy}
      r={r}
    />
  );
}

/**
 * With problems: the severity, and a tick if somebody took note of all. It stands next to what is named, whose name
 * says the same in words.
 */
export function Marks({ box, state }: Pick<RingProps, "box" | "state">) {
  if (state.problems === 0) return null;
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  return (
    <g pointerEvents="none">
      <g transform={`translate(${right - MARK_PX / 2} ${box.y - MARK_PX / 2})`}>
        <SeverityMark severity={toSeverity(state.severity)} size={MARK_PX} quiet />
      </g>
      {state.unacknowledged > 0 ? null : (
        <g transform={`translate(${right - 7} ${bottom - 7})`}>
          <circle className={classes["taken"]} cx={7} cy={7} r={7} />
          <path className={classes["tick"]} d="M3.6 7.2 6 9.6 10.4 4.8" />
        </g>
      )}
    </g>
  );
}

export interface LabelFigureProps {
  readonly box: Box;
  readonly lines: readonly LabelLine[];
  readonly location: number;
  /** it is there also when nobody points at the element */
  readonly always?: boolean;
  /** screen readers read all of it elsewhere */
  readonly shortened?: boolean;
}

export function LabelFigure(props: LabelFigureProps) {
  const { box, lines, location, always = true, shortened = false } = props;
  if (lines.length === 0) return null;
  const { anchor, x, ys } = placeLabel(box, location, lines.length);
  return (
    <text
      className={classes["label"]}
      data-hides={!always || undefined}
      aria-hidden={shortened || undefined}
      textAnchor={anchor}
      fontSize={LABEL_PX}
    >
      {lines.map(({ text, tone }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one label have no other name
        <tspan key={at} x={x} y={ys[at]} data-tone={tone}>
          {/* the blank parts the lines for those who hear them */}
          {at === lines.length - 1 ? text : `${text} `}
        </tspan>
      ))}
    </text>
  );
}

export interface LinkFigureProps {
  readonly path: LinkPath;
  readonly color: string;
  readonly drawtype: number;
  readonly label: string;
  /** its label is there also when nobody points at it */
  readonly always?: boolean;
  readonly selected?: boolean;
}

export function LinkFigure(props: LinkFigureProps) {
  const { path, color, drawtype, label, always = true, selected = false } = props;
  const { width, dashes } = linkLook(drawtype);
  const lines = label.split("\n").filter((it) => it !== "");
  return (
    <>
      {selected ? <path className={classes["chosenLink"]} d={path.d} /> : null}
      <path
        d={path.d}
        fill="none"
        stroke={ink(color)}
        strokeWidth={width}
        strokeDasharray={dashes}
      />
      {always ? null : <path className={classes["grip"]} d={path.d} />}
      {lines.length === 0 ? null : (
        <text
          className={`${classes["label"]} ${classes["linkLabel"]}`}
          data-hides={!always || undefined}
          textAnchor="middle"
          fontSize={LABEL_PX}
        >
          {lines.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one label have no other name
            <tspan key={at} x={path.at.x} y={path.at.y + 4 + (at - (lines.length - 1) / 2) * 14}>
              {at === lines.length - 1 ? text : `${text} `}
            </tspan>
          ))}
        </text>
      )}
    </>
  );
}

const ANCHORS = { "0": "middle", "1": "start", "2": "end" } as const;
const PAD_PX = 5;

export function ShapeFigure({ shape }: { readonly shape: MapShape }) {
  const [x, y, width, height] = [shape.x, shape.y, shape.width, shape.height].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const border = lineLook(shape.border_type, shape.border_width);
  const look = {
    fill: shape.background_color === "" ? "none" : `#${shape.background_color}`,
    stroke: border.width === 0 ? "none" : ink(shape.border_color),
    strokeWidth: border.width,
    strokeDasharray: border.dashes,
  };
  return (
    <>
      {shape.type === "1" ? (
        <ellipse cx={x + width / 2} cy={y + height / 2} rx={width / 2} ry={height / 2} {...look} />
      ) : (
        <rect x={x} y={y} width={width} height={height} {...look} />
      )}
      <ShapeText shape={shape} box={{ x, y, width, height }} />
    </>
  );
}

function ShapeText({ shape, box }: { readonly shape: MapShape; readonly box: Box }) {
  const lines = shape.text.split("\n");
  if (shape.text === "") return null;
  const size = Number(shape.font_size);
  const step = size * 1.25;
  const anchor = ANCHORS[shape.text_halign as "0"] ?? "middle";
  const x = {
    start: box.x + PAD_PX,
    middle: box.x + box.width / 2,
    end: box.x + box.width - PAD_PX,
  }[anchor];
  const all = (lines.length - 1) * step;
  const first =
    shape.text_valign === "1"
      ? box.y + PAD_PX + size
      : shape.text_valign === "2"
        ? box.y + box.height - PAD_PX - all
        : box.y + box.height / 2 - all / 2 + size / 3;
  return (
    <text
      textAnchor={anchor}
      fontSize={size}
      fontFamily={fontFamily(shape.font)}
      fill={shape.background_color === "" ? ink(shape.font_color) : `#${shape.font_color}`}
    >
      {lines.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
        <tspan key={at} x={x} y={first + at * step}>
          {text}
        </tspan>
      ))}
    </text>
  );
}

export function LineFigure({ line }: { readonly line: MapLine }) {
  const { width, dashes } = lineLook(line.line_type, line.line_width);
  return (
    <line
      x1={line.x1}
      y1={line.y1}
      x2={line.x2}
      y2={line.y2}
      stroke={width === 0 ? "none" : ink(line.line_color)}
      strokeWidth={width}
      strokeDasharray={dashes}
    />
  );
}

export interface BackgroundProps {
  readonly width: string;
  readonly height: string;
  readonly backgroundid: Id;
  /** "1": the image covers the sheet, "0": it has its own size */
  readonly background_scale: string;
  readonly size?: readonly [number, number] | undefined;
  readonly children?: ReactNode;
}

/** The sheet that all stands on. */
export function Background(props: BackgroundProps) {
  const { width, height, backgroundid, background_scale, size, children } = props;
  const covers = background_scale === "1" || size === undefined;
  return (
    <>
      <rect className={classes["sheet"]} width={width} height={height} />
      {backgroundid === "0" ? null : (
        <image
          href={imageAddress(backgroundid)}
          {...(covers ? { width, height } : { width: size[0], height: size[1] })}
          preserveAspectRatio={covers ? "xMidYMid slice" : "xMinYMin slice"}
        />
      )}
      {children}
    </>
  );
}
