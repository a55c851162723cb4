// Hosts by groups, with their problems; a selected host is published to listening widgets.

import { useEffect, useMemo, useState } from "react";
import { type BoardHost, fetchBoardHosts, fetchBoardProblems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { type Severity, severityName, worstSeverity } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { useBoard, useIds } from "../context";
import { useWidgetQuery } from "../data";
import { type Fields, tagsOf } from "../fields";
import type { FieldSpec, Option, WidgetKind, WidgetProps } from "../kind";
import { PROBLEMS_MAX } from "../problem-query";
import { GROUPS, LINES, SEVERITY } from "../specs";
import { type GroupBy, grouped, type Node } from "../tree";
import classes from "../widgets.module.css";

const LINES_USUAL = 100;
const ANY = -1;
const HOST_GROUP = 0;
const TAG_VALUE = 1;
const BY_SEVERITY = 2;
const UNSUPPRESSED = 1;
const NO_PROBLEMS = 2;

interface Row {
  readonly host: BoardHost;
  readonly worst: Severity | undefined;
  readonly count: number;
}

function HostNavigator({ fields }: WidgetProps) {
  const groupids = useIds(fields, "groupids");
  const patterns = fields.list("hosts");
  const tags = tagsOf(fields, "host_tags");
  const evaltype = fields.number("host_tags_evaltype", 0);
  const status = fields.number("status", ANY);
  const severities = fields.numbers("severities");
  const problems = fields.number("show_problems", UNSUPPRESSED);
  const limit = fields.number("show_lines", LINES_USUAL);
  const inMaintenance = fields.flag("maintenance", false);
  const query = useWidgetQuery(
    "hostnavigator",
    [groupids, patterns, tags, evaltype, status, severities, problems, limit, inMaintenance],
    async (signal): Promise<readonly Row[]> => {
      const found = await fetchBoardHosts(
        {
          groupids,
          patterns,
          tags,
          evaltype,
          ...(status === ANY ? {} : { status: String(status) }),
          limit,
        },
        signal,
      );
      const hosts = inMaintenance ? found : found.filter((it) => !it.maintenance);
      const open =
        problems === NO_PROBLEMS || hosts.length === 0
          ? []
          : await fetchBoardProblems(
              {
                hostids: hosts.map((it) => it.hostid),
                severities,
                suppressed: problems !== UNSUPPRESSED,
                limit: PROBLEMS_MAX,
              },
              signal,
            );
      return hosts.map((host) => {
        const own = open.filter((it) => it.hosts.some(({ hostid }) => hostid === host.hostid));
        return { host, worst: worstSeverity(own.map((it) => it.severity)), count: own.length };
      });
    },
  );
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No hosts")} />
        ) : (
          <Tree rows={rows} fields={fields} />
        )
      }
    </QueryGate>
  );
}

function groupsBy(fields: Fields): readonly GroupBy[] {
  return fields
    .records("group_by")
    .map((it) => ({ attribute: it.number("attribute", HOST_GROUP), tag: it.text("tag_name") }));
}

function valuesOf({ host, worst }: Row, { attribute, tag }: GroupBy): readonly string[] {
  if (attribute === TAG_VALUE)
    return host.tags.filter((it) => it.tag === tag).map((it) => it.value);
  if (attribute === BY_SEVERITY) return worst === undefined ? [] : [severityName(worst)];
  return host.groups.map((it) => it.name);
}

function Tree({ rows, fields }: { readonly rows: readonly Row[]; readonly fields: Fields }) {
  const { signals, emit } = useBoard();
  const reference = fields.text("reference");
  const picked = signals[reference]?.["hostid"]?.[0];
  const nodes = useMemo(() => grouped(rows, groupsBy(fields), valuesOf), [rows, fields]);
  const pick = (hostid: string) => {
    emit(reference, "hostid", [hostid]);
    emit(reference, "hostids", [hostid]);
  };
  const first = rows[0]?.host.hostid;
  // what listens shows something at once
  useEffect(() => {
    if (picked !== undefined || first === undefined) return;
    emit(reference, "hostid", [first]);
    emit(reference, "hostids", [first]);
  }, [picked, first, reference, emit]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <Nodes nodes={nodes} picked={picked} onPick={pick} />
    </div>
  );
}

interface NodesProps {
  readonly nodes: readonly Node<Row>[];
  readonly picked: string | undefined;
  readonly onPick: (hostid: string) => void;
}

function Nodes({ nodes, picked, onPick }: NodesProps) {
  return (
    <ul className={classes["tree"]}>
      {nodes.map((node) =>
        "leaf" in node ? (
          <li key={node.leaf.host.hostid}>
            <button
              type="button"
              className={classes["leaf"]}
              aria-pressed={picked === node.leaf.host.hostid}
              onClick={() => onPick(node.leaf.host.hostid)}
            >
              <span className="ellipsis">{node.leaf.host.name}</span>
              <span className={classes["marked"]}>
                {node.leaf.worst === undefined ? null : (
                  <>
                    <SeverityMark severity={node.leaf.worst} /> {node.leaf.count}
                  </>
                )}
              </span>
            </button>
          </li>
        ) : (
          <Branch key={node.name} node={node} picked={picked} onPick={onPick} />
        ),
      )}
    </ul>
  );
}

interface BranchProps extends Omit<NodesProps, "nodes"> {
  readonly node: Extract<Node<Row>, { readonly name: string }>;
}

function Branch({ node, picked, onPick }: BranchProps) {
  const [opened, setOpened] = useState(true);
  return (
    <li>
      <button
        type="button"
        className={classes["branch"]}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        <span aria-hidden>{opened ? "▾" : "▸"}</span>
        <span className="ellipsis">{node.name === "" ? t("Uncategorized") : node.name}</span>
        <span className="dim">{node.count}</span>
      </button>
      {opened ? <Nodes nodes={node.nodes} picked={picked} onPick={onPick} /> : null}
    </li>
  );
}

const ATTRIBUTES: readonly Option[] = [
  [HOST_GROUP, t("Host group")],
  [TAG_VALUE, t("Tag value")],
  [BY_SEVERITY, t("Severity")],
];

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  { kind: "patterns", name: "hosts", label: t("Host patterns") },
  {
    kind: "choice",
    name: "status",
    label: t("Host status"),
    usual: ANY,
    options: [
      [ANY, t("Any")],
      [0, t("Enabled")],
      [1, t("Disabled")],
    ],
  },
  { kind: "tags", name: "host_tags", label: t("Host tags"), evaltype: "host_tags_evaltype" },
  SEVERITY,
  { kind: "flag", name: "maintenance", label: t("Show hosts in maintenance"), usual: false },
  {
    kind: "choice",
    name: "show_problems",
    label: t("Show problems"),
    usual: UNSUPPRESSED,
    options: [
      [0, t("All")],
      [UNSUPPRESSED, t("Unsuppressed")],
      [NO_PROBLEMS, t("None")],
    ],
  },
  {
    kind: "records",
    name: "group_by",
    label: t("Group by"),
    one: t("grouping"),
    fields: [
      {
        kind: "choice",
        name: "attribute",
        label: t("Attribute"),
        usual: HOST_GROUP,
        options: ATTRIBUTES,
      },
      { kind: "text", name: "tag_name", label: t("Tag") },
    ],
  },
  LINES(LINES_USUAL),
];

export const KIND: WidgetKind = {
  Widget: HostNavigator,
  fields: FIELDS,
  refresh: 60,
  broadcasts: true,
};
