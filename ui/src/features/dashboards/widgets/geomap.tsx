// Hosts by the coordinates of their inventories, in the colours of their worst problems. The background
// has tiles if the settings name a provider; otherwise nothing is requested: coasts, borders and degrees are drawn.

import { ActionIcon, Menu } from "@mantine/core";
import { IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { keys } from "@/api/query-keys";
import { fetchTiles, type Tiles } from "@/api/settings";
import { type BoardHost, fetchBoardHosts, fetchBoardProblems } from "@/api/widgets";
import { plural, t } from "@/lib/i18n";
import { type Severity, severityName, worstSeverity } from "@/lib/severity";
import { EmptyState, QueryGate } from "@/ui/states";
import { useFrame, useIds } from "../context";
import { useWidgetQuery } from "../data";
import { tagsOf } from "../fields";
import {
  clustered,
  coordinates,
  fitted,
  moved,
  type Placed,
  placeAt,
  pointOf,
  projected,
  type Size,
  ticksOf,
  tilesOf,
  tileUrl,
  type View,
  viewOf,
  worldPx,
  ZOOM_MAX,
  zoomed,
} from "../geo";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { loadOutlines, OUTLINE_UNITS } from "../outlines";
import { PROBLEMS_MAX } from "../problem-query";
import { GROUPS, HOSTS, TAGS } from "../specs";
import classes from "./geomap.module.css";

const HOSTS_MAX = 5000;
// marks nearer than this would cover each other
const CLUSTER_PX = 26;
const NAMES_MAX = 12;

interface Spot extends Placed {
  readonly host: BoardHost;
  readonly worst: Severity | undefined;
}

function Geomap({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const tags = tagsOf(fields, "tags");
  const evaltype = fields.number("evaltype", 0);
  const query = useWidgetQuery(
    "geomap",
    [hostids, groupids, tags, evaltype],
    async (signal): Promise<readonly Spot[]> => {
      const hosts = await fetchBoardHosts(
        { hostids, groupids, tags, evaltype, status: "0", limit: HOSTS_MAX },
        signal,
      );
      const placed = hosts.flatMap((host) => {
        const at = coordinates(host.latitude, host.longitude);
        return at === undefined ? [] : [{ host, ...at }];
      });
      if (placed.length === 0) return [];
      const problems = await fetchBoardProblems(
        { hostids: placed.map(({ host }) => host.hostid), limit: PROBLEMS_MAX },
        signal,
      );
      return placed.map((it) => ({
        ...it,
        worst: worstSeverity(
          problems
            .filter(({ hosts: own }) => own.some(({ hostid }) => hostid === it.host.hostid))
            .map(({ severity }) => severity),
        ),
      }));
    },
  );
  const tiles = useWidgetQuery("tiles", [], (signal) => fetchTiles(signal));
  return (
    <QueryGate query={query}>
      {(spots) =>
        spots.length === 0 ? (
          <EmptyState title={t("No host has coordinates.")}>
            {t("Coordinates are set in the host inventory: location latitude and longitude.")}
          </EmptyState>
        ) : tiles.isPending ? null : (
          <MapView
            spots={spots}
            tiles={tiles.data ?? undefined}
            initial={fields.text("default_view")}
          />
        )
      }
    </QueryGate>
  );
}

// of the picture, with each press of an arrow
const ARROW_PX = 60;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-ARROW_PX, 0],
  ArrowRight: [ARROW_PX, 0],
  ArrowUp: [0, -ARROW_PX],
  ArrowDown: [0, ARROW_PX],
};

/** What is seen, and how it is moved: by dragging, the wheel with Ctrl, buttons, arrows at the buttons. */
function useView(fit: View, size: Size, zoomMax: number) {
  const [chosen, setView] = useState<View | undefined>(undefined);
  const view = chosen ?? fit;
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const newest = useRef({ view, size, zoomMax });
  useEffect(() => {
    newest.current = { view, size, zoomMax };
  });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // React's own listeners cannot keep the page from zooming
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const at = { x: event.clientX - left, y: event.clientY - top };
      const { view: now, size: of, zoomMax: max } = newest.current;
      setView(zoomed(now, event.deltaY < 0 ? 0.5 : -0.5, at, of, max));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
  const by = (step: number, at = { x: size.width / 2, y: size.height / 2 }) =>
    setView(zoomed(view, step, at, size, zoomMax));
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    if (arrow === undefined) return;
    event.preventDefault();
    setView(moved(view, { x: arrow[0], y: arrow[1] }));
  };
  const dragging = {
    onPointerDown: (event: PointerEvent) => {
      // a link or a button is meant
      if (event.target instanceof Element && event.target.closest("a, button") !== null) return;
      drag.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const from = drag.current;
      if (from === undefined) return;
      drag.current = { x: event.clientX, y: event.clientY };
      setView(moved(view, { x: from.x - event.clientX, y: from.y - event.clientY }));
    },
    onPointerUp: () => {
      drag.current = undefined;
    },
    onPointerCancel: () => {
      drag.current = undefined;
    },
  };
  return { view, box, dragging, by, onKeyDown, refit: () => setView(undefined) };
}

interface MapViewProps {
  readonly spots: readonly Spot[];
  readonly tiles: Tiles | undefined;
  readonly initial: string;
}

function MapView({ spots, tiles, initial }: MapViewProps) {
  const { width, height } = useFrame();
  const size = { width, height };
  const zoomMax = tiles?.zoomMax ?? ZOOM_MAX;
  const whole = fitted(spots, size);
  const fit = viewOf(initial, whole.zoom) ?? whole;
  const { view, box, dragging, by, onKeyDown, refit } = useView(fit, size, zoomMax);
  const clusters = clustered(
    spots.map((of) => ({ ...pointOf(of, view, size), of })),
    CLUSTER_PX,
  );
  return (
    <div ref={box} className={classes["geo"]} {...dragging}>
      {tiles === undefined ? (
        <Outlines view={view} size={size} />
      ) : (
        <>
          <div aria-hidden className={classes["tiles"]}>
            {tilesOf(view, size, zoomMax).map((tile) => (
              <img
                key={`${tile.z} ${tile.x} ${tile.y}`}
                src={tileUrl(tiles.url, tile)}
                alt=""
                draggable={false}
                // a tile provider may require the origin of the request, but not the page
                referrerPolicy="strict-origin"
                style={{ left: tile.left, top: tile.top, width: tile.size, height: tile.size }}
              />
            ))}
          </div>
          {tiles.attribution === "" ? null : (
            <p className={classes["attribution"]}>{tiles.attribution}</p>
          )}
        </>
      )}
      <ul aria-label={plural(spots.length, "1 host", "{n} hosts")}>
        {clusters.map(({ x, y, members }) => {
          const [first] = members;
          return first === undefined ? null : (
            <li key={first.host.hostid} style={{ left: x, top: y }}>
              {members.length === 1 ? (
                <SpotLink spot={first} />
              ) : (
                <ClusterButton
                  spots={members}
                  canZoom={view.zoom < zoomMax}
                  onZoom={() => by(2, { x, y })}
                />
              )}
            </li>
          );
        })}
      </ul>
      <div
        role="toolbar"
        aria-label={t("Map view; arrow keys move it")}
        className={classes["buttons"]}
        onKeyDown={onKeyDown}
      >
        <ActionIcon variant="default" aria-label={t("Zoom in")} onClick={() => by(1)}>
          <IconPlus size={14} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t("Zoom out")} onClick={() => by(-1)}>
          <IconMinus size={14} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t("Show all hosts")} onClick={refit}>
          <IconFocusCentered size={14} />
        </ActionIcon>
      </div>
    </div>
  );
}

function SpotLink({ spot }: { readonly spot: Spot }) {
  const state = spot.worst === undefined ? t("OK") : severityName(spot.worst);
  return (
    <Link
      to="/hosts/$hostid/problems"
      params={{ hostid: spot.host.hostid }}
      title={`${spot.host.name}: ${state}`}
      aria-label={`${spot.host.name}: ${state}`}
      data-severity={spot.worst}
    />
  );
}

interface ClusterButtonProps {
  readonly spots: readonly Spot[];
  /** the map can be zoomed in, where they may be separate */
  readonly canZoom: boolean;
  readonly onZoom: () => void;
}

/** Hosts that lie on one another: how many, in the color of the worst; their names, and nearer with a click. */
function ClusterButton({ spots, canZoom, onZoom }: ClusterButtonProps) {
  const worst = worstSeverity(spots.flatMap((it) => (it.worst === undefined ? [] : [it.worst])));
  const state = worst === undefined ? t("OK") : severityName(worst);
  const n = plural(spots.length, "1 host", "{n} hosts");
  const sorted = [...spots].sort((a, b) => (b.worst ?? -1) - (a.worst ?? -1));
  return (
    <Menu position="bottom" withinPortal trigger={canZoom ? "hover" : "click"} openDelay={250}>
      <Menu.Target>
        <button
          type="button"
          className={classes["cluster"]}
          data-severity={worst}
          aria-label={`${n}: ${state}`}
          onClick={canZoom ? onZoom : undefined}
        >
          {spots.length}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {sorted.slice(0, NAMES_MAX).map(({ host, worst: own }) => (
          <Menu.Item
            key={host.hostid}
            component={Link}
            to={`/hosts/${host.hostid}/problems` as never}
          >
            {host.name}: {own === undefined ? t("OK") : severityName(own)}
          </Menu.Item>
        ))}
        {spots.length > NAMES_MAX ? (
          <Menu.Label>{t("and {n} more", { n: spots.length - NAMES_MAX })}</Menu.Label>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Coasts, borders and degrees. */
function Outlines({ view, size }: { readonly view: View; readonly size: Size }) {
  const { width, height } = size;
  const outlines = useQuery({
    queryKey: keys.widget("outlines", []),
    queryFn: loadOutlines,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const northWest = placeAt({ x: 0, y: 0 }, view, size);
  const southEast = placeAt({ x: width, y: height }, view, size);
  const scale = worldPx(view.zoom) / OUTLINE_UNITS;
  const middle = projected(view);
  const left = width / 2 - middle.x * worldPx(view.zoom);
  const top = height / 2 - middle.y * worldPx(view.zoom);
  return (
    <svg width={width} height={height} aria-hidden>
      {ticksOf(northWest.longitude, southEast.longitude).map((degree) => {
        const { x } = pointOf({ latitude: 0, longitude: degree }, view, size);
        return (
          <g key={degree}>
            <line x1={x} x2={x} y1={0} y2={height} />
            <text x={x + 3} y={height - 4}>{`${degree}°`}</text>
          </g>
        );
      })}
      {ticksOf(southEast.latitude, northWest.latitude).map((degree) => {
        const { y } = pointOf({ latitude: degree, longitude: 0 }, view, size);
        return (
          <g key={degree}>
            <line x1={0} x2={width} y1={y} y2={y} />
            <text x={3} y={y - 3}>{`${degree}°`}</text>
          </g>
        );
      })}
      {outlines.data === undefined ? null : (
        <path d={outlines.data} transform={`translate(${left} ${top}) scale(${scale})`} />
      )}
    </svg>
  );
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  TAGS,
  {
    kind: "text",
    name: "default_view",
    label: t("Initial view: latitude, longitude, zoom (empty: all hosts)"),
  },
];

export const KIND: WidgetKind = { Widget: Geomap, fields: FIELDS, refresh: 60 };
