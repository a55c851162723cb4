import { Menu } from "@mantine/core";
import { useMemo, useState } from "react";
import type { ItemRow } from "@/api/items";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { isNumeric, itemKindName, valueTypeName } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { type Matcher, tagTexts } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { May } from "@/ui/rights";
import { pairsOf, TagList } from "@/ui/tags";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { originOf, RowState } from "@/widgets/row-state";
import { StateNote } from "@/widgets/state-note";
import { ClearHistory, ConfirmClear } from "./clear-history";
import { ItemForm } from "./item-form";
import { ItemMassDialog } from "./item-mass-dialog";
import classes from "./items.module.css";
import {
  ITEM_WORDS,
  PROTOTYPE_WORDS,
  useItem,
  useItemMutations,
  useItems,
  usePrototype,
} from "./queries";

export function ItemsPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const columns = useMemo(() => itemColumns({ kind, id }), [kind, id]);
  return (
    <ObjectList
      title={t("Items")}
      note={(rows) => plural(rows.length, "1 item", "{n} items")}
      calls={{ object: "item", words: ITEM_WORDS }}
      query={useItems(id)}
      select={select}
      columns={columns}
      rowKey={({ itemid }) => itemid}
      picks="item.update"
      actions={({ picked, clear }) => (
        <PickedActions picked={[...picked]} ofHost={kind === "host"} onDone={clear} />
      )}
      isDimmed={({ status }) => status === "1"}
      onOpen={({ itemid }) => onOpen(itemid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search names, keys, tags") }}
      none={t("No items here")}
      first={t("Link a template or create an item.")}
    />
  );
}

function select(all: readonly ItemRow[], finds: Matcher): readonly ItemRow[] {
  return all.filter(({ name, key_, tags }) => finds(() => [name, key_, ...tagTexts(tags)]));
}

/** Of other values than numbers no hours are kept. */
function hasTrends({ value_type }: ItemRow): boolean {
  return isNumeric(Number(value_type));
}

const itemColumns = (owner: Owner): readonly DataColumn<ItemRow>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 2fr)",
    sortValue: (item) => item.name,
    cell: (item) => <PartLink owner={owner} part={`items/${item.itemid}`} name={item.name} />,
  },
  {
    id: "key",
    wideOnly: true,
    title: t("Key"),
    width: "minmax(180px, 1.6fr)",
    sortValue: (item) => item.key_,
    cell: (item) => (
      <span className="ellipsis mono" title={item.key_}>
        {item.key_}
      </span>
    ),
  },
  {
    id: "interval",
    wideOnly: true,
    title: t("Interval"),
    width: "76px",
    sortValue: (item) => item.delay,
    cell: (item) => (item.delay === "0" || item.delay === "" ? "" : item.delay),
  },
  {
    id: "type",
    wideOnly: true,
    title: t("Type"),
    width: "140px",
    sortValue: (item) => itemKindName(item.type),
    cell: (item) => (
      <span className="ellipsis" title={valueTypeName(item.value_type)}>
        {itemKindName(item.type)}
      </span>
    ),
  },
  {
    id: "history",
    wideOnly: true,
    title: t("History"),
    width: "72px",
    sortValue: (item) => item.history,
    cell: (item) => <span className="ellipsis">{item.history}</span>,
  },
  {
    id: "trends",
    wideOnly: true,
    title: t("Trends"),
    width: "72px",
    sortValue: (item) => item.trends,
    cell: (item) => <span className="ellipsis">{hasTrends(item) ? item.trends : ""}</span>,
  },
  {
    id: "origin",
    wideOnly: true,
    title: t("Origin"),
    width: "86px",
    sortValue: originOf,
    cell: (item) => <span className="dim">{originOf(item)}</span>,
  },
  {
    id: "status",
    title: t("Status"),
    width: "124px",
    sortValue: (item) => `${item.status}${item.state}`,
    cell: (item) => <RowState row={item} failed={t("Not supported")} />,
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(120px, 1fr)",
    cell: (item) => <TagList tags={pairsOf(item.tags)} max={3} />,
  },
];

interface PickedActionsProps {
  readonly picked: readonly Id[];
  /** items of templates are neither asked nor do they have values */
  readonly ofHost: boolean;
  readonly onDone: () => void;
}

function PickedActions({ picked, ofHost, onDone }: PickedActionsProps) {
  const [updating, setUpdating] = useState(false);
  const [clearing, setClearing] = useState(false);
  const { remove, setStatus, execute } = useItemMutations(onDone);
  if (picked.length === 0) return null;
  return (
    <>
      <PickedMenu
        object="item"
        label={plural(picked.length, "1 item", "{n} items")}
        onStatus={(status) => setStatus.mutate({ itemids: picked, status })}
        onDelete={() => remove.mutate(picked)}
        deleting={remove.isPending}
        deleteTitle={plural(picked.length, "Delete 1 item?", "Delete {n} items?")}
        deleteNote={t("Their history and the triggers that use them are also deleted.")}
      >
        {ofHost ? (
          <Menu.Item onClick={() => execute.mutate(picked)}>{t("Execute now")}</Menu.Item>
        ) : null}
        <Menu.Item onClick={() => setUpdating(true)}>{t("Mass update …")}</Menu.Item>
        {ofHost ? (
          <Menu.Item color="red" c="var(--bad-text)" onClick={() => setClearing(true)}>
            {t("Clear history and trends …")}
          </Menu.Item>
        ) : null}
      </PickedMenu>
      <ConfirmClear
        itemids={picked}
        title={plural(
          picked.length,
          "Clear history and trends of 1 item?",
          "Clear history and trends of {n} items?",
        )}
        opened={clearing}
        onClose={() => setClearing(false)}
        onDone={onDone}
      />
      {updating ? (
        <ItemMassDialog
          itemids={picked}
          onClose={() => setUpdating(false)}
          onDone={() => {
            setUpdating(false);
            onDone();
          }}
        />
      ) : null}
    </>
  );
}

export interface ItemPageProps {
  readonly owner: Owner;
  readonly itemid: Id | "new";
  readonly onDone: () => void;
}

export function ItemPage({ owner, itemid, onDone }: ItemPageProps) {
  const query = useItem(itemid);
  return (
    <ObjectPage
      id={itemid}
      audited="item"
      words={ITEM_WORDS}
      query={query}
      actions={
        owner.kind === "host" && query.data ? (
          <May call="history.clear">
            <ClearHistory itemid={itemid} name={query.data.name} />
          </May>
        ) : null
      }
    >
      {(item) => (
        <div className={classes["page"]}>
          {item === undefined ? null : <StateNote state={item.state} error={item.error} />}
          <ItemForm key={itemid} owner={owner} item={item} onDone={onDone} />
        </div>
      )}
    </ObjectPage>
  );
}

export interface PrototypePageProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly itemid: Id | "new";
  readonly onDone: () => void;
}

export function PrototypePage({ owner, ruleid, itemid, onDone }: PrototypePageProps) {
  return (
    <ObjectPage id={itemid} words={PROTOTYPE_WORDS} query={usePrototype(itemid)}>
      {(item) => (
        <ItemForm key={itemid} owner={owner} item={item} ruleid={ruleid} onDone={onDone} />
      )}
    </ObjectPage>
  );
}
