// Items by groups; picking one shows it in the widgets that listen.

import { useEffect, useMemo, useState } from "react";
import { type BoardHost, type BoardItem, fetchBoardHosts, searchBoardItems } from "@/api/widgets";
import { plural, t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { useBoard, useIds } from "../context";
import { useWidgetQuery } from "../data";
import { type Fields, tagsOf } from "../fields";
import type { FieldSpec, Option, WidgetKind, WidgetProps } from "../kind";
import { GROUPS, HOSTS, LINES } from "../specs";
import { type GroupBy, grouped, type Node } from "../tree";
import { itemText } from "../value";
import classes from "../widgets.module.css";

const LINES_USUAL = 100;
const HOST_GROUP = 0;
const HOST_NAME = 1;
const HOST_TAG = 2;
const ITEM_TAG = 3;

interface Row {
  readonly item: BoardItem;
  readonly host: BoardHost | undefined;
}

function ItemNavigator({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const patterns = fields.list("items");
  const tags = tagsOf(fields, "item_tags");
  const evaltype = fields.number("item_tags_evaltype", 0);
  const limit = fields.number("show_lines", LINES_USUAL);
  const needsHosts = groupsBy(fields).some(
    ({ attribute }) => attribute === HOST_GROUP || attribute === HOST_TAG,
  );
  const query = useWidgetQuery(
    "itemnavigator",
    [hostids, groupids, patterns, tags, evaltype, limit, needsHosts],
    async (signal): Promise<readonly Row[]> => {
      const items = await searchBoardItems(
        { hostids, groupids, patterns, tags, evaltype, limit },
        signal,
      );
      const ids = [...new Set(items.map((it) => it.hostid))];
      const hosts =
        needsHosts && ids.length > 0
          ? await fetchBoardHosts({ hostids: ids, limit: ids.length }, signal)
          : [];
      const byId = new Map(hosts.map((it) => [it.hostid, it]));
      return items.map((item) => ({ item, host: byId.get(item.hostid) }));
    },
  );
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No items")} />
        ) : (
          <Tree rows={rows} fields={fields} isCut={rows.length >= limit} />
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

function valuesOf({ item, host }: Row, { attribute, tag }: GroupBy): readonly string[] {
  const ofTags = (tags: BoardItem["tags"]) =>
    tags.filter((it) => it.tag === tag).map((it) => it.value);
  switch (attribute) {
    case HOST_GROUP:
      return host?.groups.map((it) => it.name) ?? [];
    case HOST_NAME:
      return [item.host];
    case HOST_TAG:
      return ofTags(host?.tags ?? []);
    case ITEM_TAG:
      return ofTags(item.tags);
    default:
      return [];
  }
}

interface TreeProps {
  readonly rows: readonly Row[];
  readonly fields: Fields;
  readonly isCut: boolean;
}

function Tree({ rows, fields, isCut }: TreeProps) {
  const { signals, emit } = useBoard();
  const reference = fields.text("reference");
  const picked = signals[reference]?.["itemid"]?.[0];
  const nodes = useMemo(() => grouped(rows, groupsBy(fields), valuesOf), [rows, fields]);
  const first = rows[0]?.item.itemid;
  const pick = (itemid: string) => emit(reference, "itemid", [itemid]);
  // what listens shows something at once
  useEffect(() => {
    if (picked === undefined && first !== undefined) emit(reference, "itemid", [first]);
  }, [picked, first, reference, emit]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <Nodes nodes={nodes} picked={picked} onPick={pick} />
      {isCut ? (
        <p className={classes["more"]}>{plural(rows.length, "The first one", "The first {n}")}</p>
      ) : null}
    </div>
  );
}

interface NodesProps {
  readonly nodes: readonly Node<Row>[];
  readonly picked: string | undefined;
  readonly onPick: (itemid: string) => void;
}

function Nodes({ nodes, picked, onPick }: NodesProps) {
  return (
    <ul className={classes["tree"]}>
      {nodes.map((node) =>
        "leaf" in node ? (
          <li key={node.leaf.item.itemid}>
            <button
              type="button"
              className={classes["leaf"]}
              aria-pressed={picked === node.leaf.item.itemid}
              onClick={() => onPick(node.leaf.item.itemid)}
            >
              <span className="ellipsis" title={node.leaf.item.name}>
                {node.leaf.item.name}
              </span>
              <span className="dim ellipsis">{itemText(node.leaf.item)}</span>
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
  [HOST_NAME, t("Host name")],
  [HOST_TAG, t("Host tag value")],
  [ITEM_TAG, t("Item tag value")],
];

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  { kind: "patterns", name: "items", label: t("Item patterns") },
  { kind: "tags", name: "item_tags", label: t("Item tags"), evaltype: "item_tags_evaltype" },
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
  Widget: ItemNavigator,
  fields: FIELDS,
  refresh: 60,
  broadcasts: true,
};
