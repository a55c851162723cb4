import { Menu } from "@mantine/core";
import { useMemo, useState } from "react";
import type { RuleRow } from "@/api/discovery";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { itemKindName } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { RowState } from "@/widgets/row-state";
import { isAskable } from "./askable";
import { usePickedRules, useRules } from "./queries";

export interface RulesPageProps {
  readonly owner: Owner;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onOpen: (ruleid: Id | "new") => void;
}

export function RulesPage({ owner, text, onText, onOpen }: RulesPageProps) {
  const query = useRules(owner.id);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const isLocked = useLock("discoveryrule.update") !== undefined;
  const { kind, id } = owner;
  const columns = useMemo(() => ruleColumns({ kind, id }), [kind, id]);
  const rows = useMemo(() => {
    const matches = wordMatcher(text);
    return (query.data ?? []).filter((rule) => matches(() => [rule.name, rule.key_]));
  }, [query.data, text]);
  return (
    <Page
      title={t("Discovery rules")}
      note={plural(rows.length, "1 rule", "{n} rules")}
      actions={
        <>
          <PickedRules
            rules={(query.data ?? []).filter(({ itemid }) => picked.has(itemid))}
            canExecute={owner.kind === "host"}
            onDone={() => setPicked(new Set())}
          />
          <NewButton call="discoveryrule.create" onClick={() => onOpen("new")}>
            {t("New rule")}
          </NewButton>
        </>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names and keys")} />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Discovery rules")}
            rows={rows}
            columns={columns}
            rowKey={(rule) => rule.itemid}
            picking={isLocked ? undefined : { picked, onChange: setPicked }}
            onOpen={(rule) => onOpen(rule.itemid)}
            isDimmed={(rule) => rule.status === "1"}
            empty={
              <EmptyState title={t("No discovery rules here")}>
                {t(
                  "Discovery rules find disks, network interfaces and other objects, and create items for each.",
                )}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
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
