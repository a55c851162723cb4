// A graph of data sets: items by list or by patterns, each set with its own way of drawing.

import { useMemo } from "react";
import { fetchWatchingTriggers } from "@/api/graph-marks";
import { fetchWorkPeriod } from "@/api/settings";
import type { Series } from "@/api/types";
import type { BoardItem } from "@/api/widgets";
import { fetchBoardHosts, fetchBoardProblems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import { zoneShown } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { restSpans } from "@/lib/work-period";
import { browserZone } from "@/lib/zone";
import type { ChartLevel, ChartSpan } from "@/ui/charts/plot-draw";
import { EmptyState, QueryGate } from "@/ui/states";
import { useWatching } from "@/widgets/graph/marks";
import { AGGREGATES } from "../aggregate";
import { percentileLevels } from "../chart-levels";
import { ChartView, type LineLook } from "../chart-view";
import { useFrame, useRange } from "../context";
import { useBoardSeries, useWidgetQuery } from "../data";
import { bandsOf, dataSets, looksOf, overridden } from "../datasets";
import { type Fields, tagsOf } from "../fields";
import type { FieldSpec, Option, WidgetKind, WidgetProps } from "../kind";
import { aggregateName, aggregateOf, lineItems, loadAggregates } from "../set-aggregates";
import { type SetItems, useSetItems } from "../sets-data";
import { OVERRIDE, SEVERITY, TAGS, TIME } from "../specs";
import classes from "../widgets.module.css";

// a bucket each two pixels: more would not be seen
const PX_PER_BUCKET = 2;
const BUCKETS_MIN = 60;
const BUCKETS_MAX = 500;
const PROBLEMS_MAX = 200;
const HOSTS_MAX = 100;
const NO_PROBLEMS: readonly {
  readonly from: number;
  readonly to: number;
  readonly tone: "problem";
}[] = [];

export function bucketsFor(width: number): number {
  // by hundreds, so that charts of about one width share their answers
  const wanted = Math.round(width / PX_PER_BUCKET / 100) * 100;
  return Math.min(BUCKETS_MAX, Math.max(BUCKETS_MIN, wanted));
}

function GraphWidget({ fields, label }: WidgetProps) {
  const sets = useMemo(() => dataSets(fields), [fields]);
  const query = useSetItems(fields, sets);
  return (
    <QueryGate query={query}>
      {(found) =>
        found.every(({ items }) => items.length === 0) ? (
          <EmptyState title={t("No items to draw")}>{missingOf(found)}</EmptyState>
        ) : (
          <>
            <Lacks found={found} />
            <SetsChart found={found} fields={fields} label={label} />
          </>
        )
      }
    </QueryGate>
  );
}

/** Next to sets that are drawn: those that cannot be. */
function Lacks({ found }: { readonly found: readonly SetItems[] }) {
  const lacking = found.flatMap(({ missing }, at) => (missing === undefined ? [] : [at + 1]));
  if (lacking.length === 0) return null;
  return (
    <p className={classes["lacks"]} role="note">
      {t("Data set {n} is not drawn: host or item patterns are missing", { n: lacking.join(", ") })}
    </p>
  );
}

/** What the first set that draws nothing lacks; of all that have all, no item fits. */
function missingOf(found: readonly SetItems[]): string {
  const [lack] = found.flatMap(({ missing }) => (missing === undefined ? [] : [missing]));
  if (found.length === 0) return t("There is no data set yet.");
  if (lack === "hosts")
    return t("A data set has no host patterns. Host patterns select the hosts of its items.");
  if (lack === "items") return t("A data set has no items, or no item patterns.");
  return t("No numeric item matches the patterns.");
}

interface SetsChartProps extends WidgetProps {
  readonly found: readonly SetItems[];
}

function SetsChart({ found, fields, label }: SetsChartProps) {
  const { width, height } = useFrame();
  const range = useRange(fields);
  const lines = useMemo(() => found.map(lineItems), [found]);
  const list = useMemo(() => lines.flat(), [lines]);
  const looks = useMemo(() => allLooks(found, lines, fields), [found, lines, fields]);
  const itemids = useMemo(() => {
    const plain = found.filter(({ set }) => aggregateOf(set) === undefined);
    return [...new Set(plain.flatMap((it) => it.items).map((it) => it.itemid))];
  }, [found]);
  const source = fields.number("source", 0);
  const query = useBoardSeries(itemids, range, bucketsFor(width), source);
  const aggregates = useAggregates(found, range, source);
  const problems = useProblemSpans(fields, found, query.data?.from, query.data?.to);
  const rest = useRestSpans(fields, query.data?.from, query.data?.to);
  const spans = useMemo(() => [...rest, ...problems], [rest, problems]);
  const triggers = useTriggerLevels(fields, looks, list);
  return (
    <QueryGate query={query}>
      {({ series, from, to }) => {
        const all = [...series, ...aggregates];
        return (
          <ChartView
            label={label}
            looks={looks}
            items={list}
            series={all}
            from={from}
            to={to}
            width={width}
            height={height}
            left={axisOf(fields, "lefty")}
            right={axisOf(fields, "righty")}
            showTime={fields.flag("axisx", true)}
            spans={spans}
            levels={[...triggers, ...percentileLevels(fields, looks, list, all)]}
            legendLines={fields.flag("legend", true) ? fields.number("legend_lines", 1) : 0}
            legendColumns={fields.number("legend_columns", 4)}
            statistic={fields.flag("legend_statistic", false)}
          />
        );
      }}
    </QueryGate>
  );
}

const NO_SERIES: readonly Series[] = [];

function useAggregates(
  found: readonly SetItems[],
  range: ReturnType<typeof useRange>,
  source: number,
): readonly Series[] {
  const params = found.map(({ set, items }) => {
    const aggregate = aggregateOf(set);
    return aggregate === undefined ? null : [aggregate, items.map((it) => it.itemid)];
  });
  const query = useWidgetQuery(
    "aggregates",
    [params, range, source],
    () => loadAggregates(found, range, source),
    params.some((it) => it !== null),
  );
  return query.data ?? NO_SERIES;
}

function allLooks(
  found: readonly SetItems[],
  lines: readonly (readonly BoardItem[])[],
  fields: Fields,
): readonly LineLook[] {
  const looks: LineLook[] = [];
  const showsAggregate = fields.flag("legend_aggregation", false);
  for (const [at, { set }] of found.entries()) {
    const aggregate = aggregateOf(set);
    const own = looksOf(set, lines[at] ?? [], looks.length);
    const how =
      showsAggregate && aggregate !== undefined ? aggregateName(aggregate.how) : undefined;
    looks.push(
      ...own.map((it) => (how === undefined ? it : { ...it, name: `${how}(${it.name})` })),
    );
  }
  const items = new Map(lines.flat().map((it) => [it.itemid, it]));
  const shared = sharedHost([...items.values()]);
  // if all lines are of one host, its name distinguishes nothing
  const named =
    shared === undefined
      ? looks
      : looks.map((it) => ({ ...it, name: it.name.replace(`${shared}: `, "") }));
  return bandsOf(overridden(named, items, fields.records("or")));
}

/** What triggers hold the items against, as lines across. */
function useTriggerLevels(
  fields: Fields,
  looks: readonly LineLook[],
  items: readonly BoardItem[],
): readonly ChartLevel[] {
  const itemids = looks.map((it) => it.itemid).filter((it) => /^\d+$/.test(it));
  const query = useWatching([...new Set(itemids)], fields.flag("simple_triggers", false));
  return useMemo(() => {
    const units = new Map(items.map((it) => [it.itemid, it.units]));
    return (query.data?.levels ?? []).flatMap((level): ChartLevel[] => {
      const look = looks.find((it) => it.itemid === level.itemid);
      if (look === undefined) return [];
      const value = formatValue(level.value, units.get(level.itemid) ?? "", 2);
      return [
        {
          value: level.value,
          axis: look.right ? "right" : "left",
          text: `${level.name} (${level.operator} ${value})`,
          color: `var(--severity-${toSeverity(level.severity)})`,
          dash: [7, 4],
          textAt: "start",
        },
      ];
    });
  }, [query.data, looks, items]);
}

function sharedHost(items: readonly BoardItem[]): string | undefined {
  const hosts = new Set(items.map((it) => it.host));
  return hosts.size === 1 ? items[0]?.host : undefined;
}

function axisOf(fields: Fields, name: "lefty" | "righty") {
  const min = fields.maybeNumber(`${name}_min`);
  const max = fields.maybeNumber(`${name}_max`);
  const units = fields.flag(`${name}_units`, false)
    ? { units: fields.text(`${name}_static_units`) }
    : {};
  const hidden = fields.flag(name, true) ? {} : { shown: false };
  const scale = fields.number(`${name}_scale`, 0) === LOGARITHMIC ? { isLogarithmic: true } : {};
  return { min, max, ...units, ...hidden, ...scale };
}

const NO_REST: readonly ChartSpan[] = [];

/** Times outside working hours, by the setting of the server and the shown time zone. */
function useRestSpans(
  fields: Fields,
  from: number | undefined,
  to: number | undefined,
): readonly ChartSpan[] {
  const isShown = fields.flag("working_time", false);
  const period = useWidgetQuery("workperiod", [], fetchWorkPeriod, isShown).data;
  return useMemo(() => {
    if (period === undefined || from === undefined || to === undefined) return NO_REST;
    const zone = zoneShown() ?? browserZone();
    return restSpans(period, from, to, zone).map((it) => ({ ...it, tone: "rest" as const }));
  }, [period, from, to]);
}

/** When there were problems of what is drawn, of chosen hosts, or of all hosts. */
function useProblemSpans(
  fields: Fields,
  found: readonly SetItems[],
  from: number | undefined,
  to: number | undefined,
) {
  const isShown = fields.flag("show_problems", false);
  const ofItems = fields.flag("graph_item_problems", true);
  const items = found.flatMap((it) => it.items);
  const itemids = [...new Set(items.map((it) => it.itemid))];
  const own = [...new Set(items.map((it) => it.hostid))];
  const patterns = fields.list("problemhosts");
  const severities = fields.numbers("severities");
  const tags = tagsOf(fields, "tags");
  const evaltype = fields.number("evaltype", 0);
  const name = fields.text("problem_name");
  const query = useWidgetQuery(
    "spans",
    [ofItems ? itemids : null, own, patterns, severities, tags, evaltype, name],
    async (signal) => {
      const hosts =
        patterns.length === 0
          ? undefined
          : await fetchBoardHosts({ patterns, limit: HOSTS_MAX }, signal);
      const chosen = hosts?.map((it) => it.hostid) ?? (ofItems ? own : undefined);
      if (chosen !== undefined && chosen.length === 0) return [];
      const problems = await fetchBoardProblems(
        {
          ...(chosen === undefined ? {} : { hostids: chosen }),
          severities,
          tags,
          evaltype,
          name,
          recent: true,
          limit: PROBLEMS_MAX,
        },
        signal,
      );
      if (!ofItems) return problems;
      const watching = await fetchWatchingTriggers({ itemids }, signal);
      const triggerids = new Set(watching.map((it) => it.triggerid));
      return problems.filter((it) => triggerids.has(it.triggerid));
    },
    isShown && (!ofItems || itemids.length > 0),
  );
  return useMemo(() => {
    if (query.data === undefined || from === undefined || to === undefined) return NO_PROBLEMS;
    return query.data
      .map((it) => ({
        from: Math.max(from, it.clock),
        to: Math.min(to, it.end === 0 ? to : it.end),
        tone: "problem" as const,
      }))
      .filter((it) => it.to > it.from)
      .sort((a, b) => a.from - b.from);
  }, [query.data, from, to]);
}

const LOGARITHMIC = 1;

const SCALES: readonly Option[] = [
  [0, t("Linear")],
  [LOGARITHMIC, t("Logarithmic")],
];

const SOURCES: readonly Option[] = [
  [0, t("Auto")],
  [1, t("History")],
  [2, t("Trends")],
];

const TYPES: readonly Option[] = [
  [0, t("Line")],
  [1, t("Points")],
  [2, t("Staircase")],
  [3, t("Bar")],
];

const APPROXIMATION: readonly Option[] = [
  [7, t("all: from min to max")],
  [1, t("min")],
  [2, t("avg")],
  [4, t("max")],
];

const MISSING: readonly Option[] = [
  [0, t("None")],
  [1, t("Connected")],
  [2, t("Treat as 0")],
  [3, t("Last known")],
];

const LOOK: readonly FieldSpec[] = [
  { kind: "choice", name: "type", label: t("Draw"), usual: 0, options: TYPES },
  { kind: "number", name: "width", label: t("Width"), usual: 1, min: 0, max: 10 },
  { kind: "number", name: "pointsize", label: t("Point size"), usual: 3, min: 1, max: 10 },
  { kind: "number", name: "fill", label: t("Fill"), usual: 3, min: 0, max: 10 },
  { kind: "number", name: "transparency", label: t("Transparency"), usual: 5, min: 0, max: 10 },
  { kind: "choice", name: "missingdatafunc", label: t("Missing data"), usual: 0, options: MISSING },
  {
    kind: "choice",
    name: "axisy",
    label: t("Y axis"),
    usual: 0,
    options: [
      [0, t("Left")],
      [1, t("Right")],
    ],
  },
  { kind: "text", name: "timeshift", label: t("Time shift") },
];

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "records",
    name: "ds",
    label: t("Data sets"),
    one: t("data set"),
    begun: true,
    fields: [
      {
        kind: "choice",
        name: "dataset_type",
        label: t("Items by"),
        usual: 1,
        options: [
          [0, t("List")],
          [1, t("Patterns")],
        ],
      },
      { kind: "items", name: "itemids", label: t("Items (list)") },
      { kind: "patterns", name: "hosts", label: t("Host patterns") },
      { kind: "patterns", name: "items", label: t("Item patterns") },
      { kind: "color", name: "color", label: t("Base color") },
      { kind: "flag", name: "stacked", label: t("Stacked"), usual: false },
      ...LOOK,
      {
        kind: "choice",
        name: "aggregate_function",
        label: t("Aggregation function"),
        usual: 0,
        options: AGGREGATES,
      },
      {
        kind: "text",
        name: "aggregate_interval",
        label: t("Aggregation interval"),
        usual: "1h",
      },
      {
        kind: "choice",
        name: "aggregate_grouping",
        label: t("Aggregate"),
        usual: 0,
        options: [
          [0, t("Each item")],
          [1, t("Data set")],
        ],
      },
      {
        kind: "choice",
        name: "approximation",
        label: t("Approximation"),
        usual: 2,
        options: APPROXIMATION,
      },
      { kind: "text", name: "data_set_label", label: t("Data set label") },
    ],
  },
  {
    kind: "records",
    name: "or",
    label: t("Overrides"),
    one: t("override"),
    fields: [
      { kind: "patterns", name: "hosts", label: t("Host patterns") },
      { kind: "patterns", name: "items", label: t("Item patterns") },
      { kind: "color", name: "color", label: t("Base color") },
      ...LOOK,
    ],
  },
  {
    kind: "choice",
    name: "source",
    label: t("History data selection"),
    usual: 0,
    options: SOURCES,
  },
  { kind: "flag", name: "working_time", label: t("Working time"), usual: false },
  { kind: "flag", name: "simple_triggers", label: t("Simple triggers"), usual: false },
  { kind: "flag", name: "percentile_left", label: t("Percentile line (left)"), usual: false },
  { kind: "text", name: "percentile_left_value", label: t("Percentile (left)") },
  { kind: "flag", name: "percentile_right", label: t("Percentile line (right)"), usual: false },
  { kind: "text", name: "percentile_right_value", label: t("Percentile (right)") },
  ...TIME,
  { kind: "text", name: "lefty_min", label: t("Left Y: min") },
  { kind: "text", name: "lefty_max", label: t("Left Y: max") },
  { kind: "choice", name: "lefty_scale", label: t("Left Y: scale"), usual: 0, options: SCALES },
  { kind: "text", name: "righty_min", label: t("Right Y: min") },
  { kind: "text", name: "righty_max", label: t("Right Y: max") },
  { kind: "choice", name: "righty_scale", label: t("Right Y: scale"), usual: 0, options: SCALES },
  { kind: "flag", name: "axisx", label: t("X axis"), usual: true },
  { kind: "flag", name: "legend", label: t("Show legend"), usual: true },
  { kind: "flag", name: "legend_statistic", label: t("Display min/avg/max"), usual: false },
  { kind: "number", name: "legend_lines", label: t("Legend rows"), usual: 1, min: 1, max: 10 },
  { kind: "number", name: "legend_columns", label: t("Legend columns"), usual: 4, min: 1, max: 4 },
  {
    kind: "flag",
    name: "legend_aggregation",
    label: t("Show aggregation function"),
    usual: false,
  },
  { kind: "flag", name: "show_problems", label: t("Show problems"), usual: false },
  {
    kind: "flag",
    name: "graph_item_problems",
    label: t("Problems of selected items only"),
    usual: true,
  },
  { kind: "patterns", name: "problemhosts", label: t("Problem hosts") },
  SEVERITY,
  { kind: "text", name: "problem_name", label: t("Problem") },
  TAGS,
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: GraphWidget, fields: FIELDS, refresh: 60 };
