// The inventory of a host, to read: filled fields, by what they are about.

import { Button, SegmentedControl } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { DISABLED, type HostInventory, type InventoryItem } from "@/api/inventory";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { May } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { PartLink } from "@/widgets/part-link";
import classes from "./inventory.module.css";
import {
  type FieldGroup,
  groupTitle,
  isFilledByItem,
  linkOf,
  modeName,
  selectFields,
} from "./inventory-fields";
import { useInventory } from "./queries";

export interface InventorySearch {
  readonly q?: string;
  /** `all`: empty fields too */
  readonly show?: string;
}

export interface InventoryPageProps {
  readonly hostid: Id;
  readonly search: InventorySearch;
  readonly onSearch: (search: InventorySearch) => void;
}

export function InventoryPage({ hostid, search, onSearch }: InventoryPageProps) {
  const query = useInventory(hostid);
  const navigate = useNavigate();
  const inventory = query.data ?? undefined;
  const edit = () => void navigate({ to: "/hosts/$hostid/inventory/edit", params: { hostid } });
  const isThere = inventory !== undefined && inventory.mode !== DISABLED;
  return (
    <Page
      title={t("Inventory")}
      note={inventory === undefined ? null : noteOf(inventory)}
      scroll
      actions={
        isThere ? (
          <May call="host.update">
            <Button leftSection={<IconPencil size={14} />} onClick={edit}>
              {t("Edit")}
            </Button>
          </May>
        ) : null
      }
      filters={
        isThere ? (
          <>
            <SearchBox
              value={search.q ?? ""}
              onChange={(q) => onSearch({ ...search, q })}
              placeholder={t("Search fields and texts")}
            />
            <SegmentedControl
              aria-label={t("Show")}
              value={search.show ?? "filled"}
              onChange={(show) => onSearch({ ...search, show: show === "all" ? show : "" })}
              data={[
                { value: "filled", label: t("Filled") },
                { value: "all", label: t("All fields") },
              ]}
            />
          </>
        ) : undefined
      }
    >
      <QueryGate query={query}>
        {(found) => {
          if (found === null) return <EmptyState title={t("There is no such host.")} />;
          if (found.mode === DISABLED) return <NoInventory onSetUp={edit} />;
          return <Fields hostid={hostid} inventory={found} search={search} />;
        }}
      </QueryGate>
    </Page>
  );
}

function noteOf({ mode, texts }: HostInventory): string {
  if (mode === DISABLED) return modeName(mode);
  const n = Object.keys(texts).length;
  return `${modeName(mode)}, ${plural(n, "1 field filled", "{n} fields filled")}`;
}

function NoInventory({ onSetUp }: { readonly onSetUp: () => void }) {
  return (
    <EmptyState title={t("This host has no inventory")}>
      <p>{t("Serial numbers, locations, contacts: filled in manually or by items.")}</p>
      <May call="host.update">
        <Button onClick={onSetUp}>{t("Set up")}</Button>
      </May>
    </EmptyState>
  );
}

interface FieldsProps {
  readonly hostid: Id;
  readonly inventory: HostInventory;
  readonly search: InventorySearch;
}

function Fields({ hostid, inventory, search }: FieldsProps) {
  const filter = { q: search.q ?? "", filledOnly: search.show !== "all" };
  const groups = selectFields(inventory.texts, filter);
  if (groups.length === 0) {
    const isEmpty = Object.keys(inventory.texts).length === 0 && filter.q === "";
    return (
      <EmptyState title={isEmpty ? t("Nothing is filled in yet.") : t("No field matches.")}>
        {isEmpty ? (
          <Link to="/hosts/$hostid/inventory/edit" params={{ hostid }}>
            {t("Fill in")}
          </Link>
        ) : null}
      </EmptyState>
    );
  }
  return (
    <div className={classes["groups"]}>
      {groups.map((group) => (
        <Group key={group.group} hostid={hostid} inventory={inventory} group={group} />
      ))}
    </div>
  );
}

interface GroupProps {
  readonly hostid: Id;
  readonly inventory: HostInventory;
  readonly group: FieldGroup;
}

function Group({ hostid, inventory, group: { group, fields } }: GroupProps) {
  return (
    <section className={classes["group"]} aria-label={groupTitle(group)}>
      <h2 className={classes["groupTitle"]}>{groupTitle(group)}</h2>
      <dl className={classes["fields"]}>
        {fields.map(({ name, title }) => {
          const item = isFilledByItem(inventory, inventory.mode, name)
            ? inventory.items.get(name)
            : undefined;
          return (
            <div key={name} className={classes["field"]}>
              <dt title={name}>{title}</dt>
              <dd>
                <FieldText text={inventory.texts[name] ?? ""} />
                {item === undefined ? null : <FilledBy hostid={hostid} item={item} />}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function FieldText({ text }: { readonly text: string }) {
  const link = linkOf(text);
  if (text === "") return <span className="dim">–</span>;
  if (link === undefined) return <span className={classes["text"]}>{text}</span>;
  return (
    <a className={classes["text"]} href={link} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}

interface FilledByProps {
  readonly hostid: Id;
  readonly item: InventoryItem;
}

/** Which item a field's text comes from. */
export function FilledBy({ hostid, item }: FilledByProps) {
  return (
    <span className={classes["origin"]}>
      {t("by item")}{" "}
      <PartLink
        owner={{ kind: "host", id: hostid }}
        part={`items/${item.itemid}`}
        name={item.name}
      />
    </span>
  );
}
