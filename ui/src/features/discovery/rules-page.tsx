import { Menu } from "@mantine/core";
import { useMemo } from "react";
import type { RuleRow } from "@/api/discovery";
import { plural, t } from "@/lib/i18n";
import { itemKindName } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { ObjectList } from "@/widgets/objects/object-list";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { RowState } from "@/widgets/row-state";
import { isAskable } from "./askable";
import { usePickedRules, useRules } from "./queries";

export function RulesPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const query = useRules(id);
  const columns = useMemo(() => ruleColumns({ kind, id }), [kind, id]);
  return (
    <ObjectList
      title={t("Discovery rules")}
      note={(rows) => plural(rows.length, "1 rule", "{n} rules")}
      calls={{ object: "discoveryrule", words: { create: t("New rule") } }}
      query={query}
      select={select}
      columns={columns}
      rowKey={({ itemid }) => itemid}
      picks="discoveryrule.update"
      actions={({ picked, clear }) => (
        <PickedRules
          rules={(query.data ?? []).filter(({ itemid }) => picked.has(itemid))}
          canExecute={kind === "host"}
          onDone={clear}
        />
      )}
      isDimmed={({ status }) => status === "1"}
      onOpen={({ itemid }) => onOpen(itemid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search names and keys") }}
      none={t("No discovery rules here")}
      first={t(
        "Discovery rules find disks, network interfaces and other objects, and create items for each.",
      )}
    />
  );
}

function select(all: readonly RuleRow[], finds: Matcher): readonly RuleRow[] {
  return all.filter(({ name, key_ }) => finds(() => [name, key_]));
}

interface PickedRulesProps {
  readonly rules: readonly RuleRow[];
  readonly canExecute: boolean;
  readonly onDone: () => void;
}

function PickedRules({ rules, canExecute, onDone }: PickedRulesProps) {
  const { remove, setStatus, execute } = usePickedRules(onDone);
  if (rules.length === 0) return null;
  const ruleids = rules.map(({ itemid }) => itemid);
  // one that waits for data would refuse the whole of it
  const mayExecute = canExecute && rules.every(isAskable);
  return (
    <PickedMenu
      object="discoveryrule"
      label={plural(rules.length, "1 rule", "{n} rules")}
      onStatus={(status) => setStatus.mutate({ ruleids, status })}
      onDelete={() => remove.mutate(ruleids)}
      deleting={remove.isPending}
      deleteTitle={plural(rules.length, "Delete 1 rule?", "Delete {n} rules?")}
      deleteNote={t("Their prototypes and all discovered objects are also deleted.")}
    >
      {mayExecute ? (
        <Menu.Item onClick={() => execute.mutate(ruleids)}>{t("Execute now")}</Menu.Item>
      ) : null}
    </PickedMenu>
  );
}

const ruleColumns = (owner: Owner): readonly DataColumn<RuleRow>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 1.4fr)",
    sortValue: (rule) => rule.name,
    cell: (rule) => <PartLink owner={owner} part={`discovery/${rule.itemid}`} name={rule.name} />,
  },
  {
    id: "key",
    wideOnly: true,
    title: t("Key"),
    width: "minmax(180px, 1.2fr)",
    sortValue: (rule) => rule.key_,
    cell: (rule) => <span className="ellipsis mono">{rule.key_}</span>,
  },
  {
    id: "type",
    wideOnly: true,
    title: t("Type"),
    width: "150px",
    sortValue: (rule) => itemKindName(rule.type),
    cell: (rule) => <span className="ellipsis">{itemKindName(rule.type)}</span>,
  },
  {
    id: "interval",
    wideOnly: true,
    title: t("Interval"),
    width: "80px",
    sortValue: (rule) => rule.delay,
    cell: (rule) => (rule.delay === "0" ? "" : rule.delay),
  },
  {
    id: "items",
    wideOnly: true,
    title: t("Items"),
    label: t("Item prototypes"),
    width: "70px",
    align: "right",
    sortValue: (rule) => Number(rule.items),
    cell: (rule) => rule.items,
  },
  {
    id: "triggers",
    wideOnly: true,
    title: t("Triggers"),
    label: t("Trigger prototypes"),
    width: "76px",
    align: "right",
    sortValue: (rule) => Number(rule.triggers),
    cell: (rule) => rule.triggers,
  },
  {
    id: "status",
    title: t("Status"),
    width: "130px",
    sortValue: (rule) => `${rule.status}${rule.state}`,
    cell: (rule) => <RowState row={rule} failed={t("Not supported")} />,
  },
  {
    id: "error",
    wideOnly: true,
    title: t("Error"),
    width: "minmax(120px, 1.4fr)",
    cell: (rule) => (
      <span className="ellipsis bad" title={rule.error}>
        {rule.error}
      </span>
    ),
  },
];
