// Open problems, or those that ended a short while ago as well.

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { BoardProblem } from "@/api/widgets";
import { locale, t } from "@/lib/i18n";
import { severityName } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { Age, Instant } from "@/ui/times";
import { useProblems } from "../data";
import type { Fields } from "../fields";
import type { FieldSpec, Option, WidgetKind, WidgetProps } from "../kind";
import { useProblemQuery } from "../problem-query";
import {
  GROUPS,
  HOSTS,
  LINES,
  PROBLEM,
  SEVERITY,
  SUPPRESSED,
  TAGS,
  WITHOUT_GROUPS,
} from "../specs";
import classes from "../widgets.module.css";

const RECENT = 1;
const PROBLEMS = 3;
const HISTORY = 2;
const LINES_USUAL = 25;
const TIME_DESCENDING = 4;
const OPDATA_APART = 1;
const OPDATA_WITH_NAME = 2;
const UNACKNOWLEDGED = 1;
const ACKNOWLEDGED = 2;

function ProblemsWidget({ fields }: WidgetProps) {
  const ack = fields.number("acknowledgement_status", 0);
  const query = useProblems({
    ...useProblemQuery(fields),
    recent: fields.number("show", RECENT) !== PROBLEMS,
    symptoms: fields.flag("show_symptoms", false),
    ...(ack === UNACKNOWLEDGED ? { acknowledged: false } : {}),
    ...(ack === ACKNOWLEDGED ? { acknowledged: true } : {}),
  });
  return (
    <QueryGate query={query}>{(all) => <ProblemTable problems={all} fields={fields} />}</QueryGate>
  );
}

interface ProblemTableProps {
  readonly problems: readonly BoardProblem[];
  readonly fields: Fields;
}

function ProblemTable({ problems, fields }: ProblemTableProps) {
  const sort = fields.number("sort_triggers", TIME_DESCENDING);
  const lines = fields.number("show_lines", LINES_USUAL);
  const sorted = useMemo(() => sortedProblems(problems, sort), [problems, sort]);
  const shown = sorted.slice(0, lines);
  const tags = fields.number("show_tags", 0);
  const opdata = fields.number("show_opdata", 0);
  if (problems.length === 0) return <EmptyState title={t("No problems")} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("Time")}</th>
            <th scope="col">{t("Host")}</th>
            <th scope="col">{t("Problem")}</th>
            {opdata === OPDATA_APART ? <th scope="col">{t("Operational data")}</th> : null}
            <th scope="col">{t("Duration")}</th>
            <th scope="col">{t("Ack")}</th>
            {tags === 0 ? null : <th scope="col">{t("Tags")}</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((it) => (
            <ProblemLine key={it.eventid} problem={it} fields={fields} />
          ))}
        </tbody>
      </table>
      {shown.length < problems.length ? (
        <p className={classes["more"]}>
          {t("{n} of {all} problems", { n: shown.length, all: problems.length })}
        </p>
      ) : null}
    </div>
  );
}

interface ProblemLineProps {
  readonly problem: BoardProblem;
  readonly fields: Fields;
}

function ProblemLine({ problem: it, fields }: ProblemLineProps) {
  const tags = fields.number("show_tags", 0);
  const opdata = fields.number("show_opdata", 0);
  return (
    <tr data-ended={it.end > 0 || undefined}>
      <td>
        <span className={classes["marked"]}>
          <SeverityMark severity={it.severity} />
          <Link to="/events/$eventid" params={{ eventid: it.eventid }}>
            <Instant seconds={it.clock} />
          </Link>
        </span>
      </td>
      <td className={classes["host"]} title={it.hosts.map(({ name }) => name).join(", ")}>
        {it.hosts.map(({ hostid, name }) => (
          <Link key={hostid} to="/hosts/$hostid/problems" params={{ hostid }}>
            {name}
          </Link>
        ))}
      </td>
      <td title={severityName(it.severity)}>
        <Link to="/events/$eventid" params={{ eventid: it.eventid }}>
          {it.name}
        </Link>
        {opdata === OPDATA_WITH_NAME && it.opdata !== "" ? (
          <span className="dim"> ({it.opdata})</span>
        ) : null}
        {it.end > 0 ? <span className="ok"> {t("resolved")}</span> : null}
        {it.suppressed ? <span className="dim"> {t("suppressed")}</span> : null}
      </td>
      {opdata === OPDATA_APART ? <td>{it.opdata}</td> : null}
      <td className={classes["nowrap"]}>
        <Age since={it.clock} until={it.end > 0 ? it.end : undefined} />
      </td>
      <td className={classes["nowrap"]}>
        {it.acknowledged ? <span className="ok">{t("Yes")}</span> : t("No")}
      </td>
      {tags === 0 ? null : (
        <td className={classes["tags"]}>
          <ProblemTags tags={it.tags} priority={fields.text("tag_priority")} max={tags} />
        </td>
      )}
    </tr>
  );
}

interface ProblemTagsProps {
  readonly tags: BoardProblem["tags"];
  /** names, with commas between */
  readonly priority: string;
  readonly max: number;
}

function ProblemTags({ tags, priority, max }: ProblemTagsProps) {
  const first = priority.split(",").map((it) => it.trim());
  return tagsShown(tags, first, max).map(({ tag, value }) => (
    <span key={`${tag}:${value}`} className={classes["tag"]}>
      {value === "" ? tag : `${tag}: ${value}`}
    </span>
  ));
}

/** The ones that matter most first. */
export function tagsShown<T extends { readonly tag: string }>(
  tags: readonly T[],
  priority: readonly string[],
  max: number,
): readonly T[] {
  const rank = ({ tag }: T) => {
    const at = priority.indexOf(tag);
    return at < 0 ? priority.length : at;
  };
  return [...tags].sort((a, b) => rank(a) - rank(b)).slice(0, max);
}

const collator = new Intl.Collator(locale(), { numeric: true, sensitivity: "base" });
const hostOf = (it: BoardProblem) => it.hosts[0]?.name ?? "";

/** By Zabbix's codes of orders. */
export function sortedProblems(
  problems: readonly BoardProblem[],
  sort: number,
): readonly BoardProblem[] {
  const newest = (a: BoardProblem, b: BoardProblem) => b.clock - a.clock;
  const orders: Readonly<Record<number, (a: BoardProblem, b: BoardProblem) => number>> = {
    1: (a, b) => b.severity - a.severity || newest(a, b),
    13: (a, b) => a.severity - b.severity || newest(a, b),
    2: (a, b) => collator.compare(hostOf(a), hostOf(b)) || newest(a, b),
    14: (a, b) => collator.compare(hostOf(b), hostOf(a)) || newest(a, b),
    3: (a, b) => a.clock - b.clock,
    4: newest,
    15: (a, b) => collator.compare(a.name, b.name) || newest(a, b),
    16: (a, b) => collator.compare(b.name, a.name) || newest(a, b),
  };
  return [...problems].sort(orders[sort] ?? newest);
}

const SORTS: readonly Option[] = [
  [4, t("Time (descending)")],
  [3, t("Time (ascending)")],
  [1, t("Severity (descending)")],
  [13, t("Severity (ascending)")],
  [2, t("Host (ascending)")],
  [14, t("Host (descending)")],
  [15, t("Problem (ascending)")],
  [16, t("Problem (descending)")],
];

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "show",
    label: t("Show"),
    usual: RECENT,
    options: [
      [RECENT, t("Recent problems")],
      [PROBLEMS, t("Problems")],
      [HISTORY, t("History")],
    ],
  },
  GROUPS,
  WITHOUT_GROUPS,
  HOSTS,
  PROBLEM,
  SEVERITY,
  TAGS,
  {
    kind: "choice",
    name: "show_tags",
    label: t("Show tags"),
    usual: 0,
    options: [
      [0, t("None")],
      [1, "1"],
      [2, "2"],
      [3, "3"],
    ],
  },
  { kind: "text", name: "tag_priority", label: t("Tag display priority") },
  {
    kind: "choice",
    name: "show_opdata",
    label: t("Show operational data"),
    usual: 0,
    options: [
      [0, t("None")],
      [OPDATA_APART, t("Separately")],
      [OPDATA_WITH_NAME, t("With problem name")],
    ],
  },
  { kind: "flag", name: "show_symptoms", label: t("Show symptoms"), usual: false },
  SUPPRESSED,
  {
    kind: "choice",
    name: "acknowledgement_status",
    label: t("Acknowledgement status"),
    usual: 0,
    options: [
      [0, t("All")],
      [UNACKNOWLEDGED, t("Unacknowledged")],
      [ACKNOWLEDGED, t("Acknowledged")],
    ],
  },
  {
    kind: "choice",
    name: "sort_triggers",
    label: t("Sort entries by"),
    usual: TIME_DESCENDING,
    options: SORTS,
  },
  LINES(LINES_USUAL),
];

export const KIND: WidgetKind = { Widget: ProblemsWidget, fields: FIELDS, refresh: 60 };
