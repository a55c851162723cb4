// Items, their value maps and stored values.

import * as z from "zod/mini";
import type { ItemCreate } from "./generated/item";
import { call } from "./rpc";
import * as schema from "./schema";
import type { ExpressionItem } from "./testing";
import type { HistoryValue, Id, Item, ValuedItem, ValueMap } from "./types";

export const ITEM_CONTENT = [
  "itemid",
  "hostid",
  "name",
  "key_",
  "type",
  "value_type",
  "units",
  "delay",
  "history",
  "trends",
  "status",
  "description",
  "notes",
  "interfaceid",
  "master_itemid",
  "snmp_oid",
  "params",
  "trapper_hosts",
  "valuemapid",
  "templateid",
] as const;
/** What only the forms of some types need, besides `params` and `trapper_hosts`. */
export const REQUEST_FIELDS = [
  "timeout",
  "url",
  "query_fields",
  "request_method",
  "post_type",
  "posts",
  "headers",
  "status_codes",
  "follow_redirects",
  "retrieve_mode",
  "output_format",
  "http_proxy",
  "authtype",
  "username",
  "password",
  "verify_peer",
  "verify_host",
  "ssl_cert_file",
  "ssl_key_file",
  "ssl_key_password",
  "allow_traps",
  "parameters",
  "publickey",
  "privatekey",
  "jmx_endpoint",
  "ipmi_sensor",
] as const;
const ITEM_FIELDS = [...ITEM_CONTENT, "inventory_link", "state", "error", "flags"] as const;
export const STEP_FIELDS = ["type", "params", "error_handler", "error_handler_params"] as const;

export async function fetchItems(ownerid: Id, signal?: AbortSignal): Promise<readonly Item[]> {
  return call(
    "item.get",
    {
      // templates are hosts to this call: their ids are accepted as host ids
      hostids: [ownerid],
      output: ITEM_FIELDS,
      selectTags: ["tag", "value"],
      sortfield: "name",
    },
    schema.listOf(schema.item),
    signal,
  );
}

export async function fetchItem(itemid: Id, signal?: AbortSignal): Promise<Item | undefined> {
  const items = await call(
    "item.get",
    {
      itemids: [itemid],
      output: [...ITEM_FIELDS, ...REQUEST_FIELDS],
      selectTags: ["tag", "value"],
      selectPreprocessing: STEP_FIELDS,
    },
    schema.listOf(schema.item),
    signal,
  );
  return items[0];
}

export interface ItemAddress {
  readonly host: string;
  readonly key: string;
}

/** The items at these addresses, those that are there. */
export async function fetchExpressionItems(
  addresses: readonly ItemAddress[],
  signal?: AbortSignal,
): Promise<readonly ExpressionItem[]> {
  if (addresses.length === 0) return [];
  const hosts = await call(
    "host.get",
    { output: ["hostid", "name", "host"], filter: { host: addresses.map((it) => it.host) } },
    schema.listOf(schema.host),
    signal,
  );
  const items = await call(
    "item.get",
    {
      hostids: hosts.map((it) => it.hostid),
      output: ["itemid", "hostid", "name", "key_", "type", "units", "value_type"],
      filter: { key_: addresses.map((it) => it.key) },
    },
    schema.listOf(schema.item),
    signal,
  );
  const names = new Map(hosts.map((it) => [it.hostid, it.host]));
  const wanted = new Set(addresses.map(({ host, key }) => `${host}/${key}`));
  return items
    .filter((it) => wanted.has(`${names.get(it.hostid)}/${it.key_}`))
    .map(({ itemid, name, units, value_type }) => ({
      itemid,
      name,
      units,
      valueType: Number(value_type),
    }));
}

/** Technical names of hosts and templates that begin so. */
export async function searchHolders(
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const params = { output: ["host"], search: { host: text }, startSearch: true, limit } as const;
  const [hosts, templates] = await Promise.all([
    call("host.get", params, schema.listOf(holderName), signal),
    call("template.get", params, schema.listOf(holderName), signal),
  ]);
  return [...hosts, ...templates].map(({ host }) => host).slice(0, limit);
}

const holderName = z.object({ host: z.string() });
const holderId = z.object({
  hostid: z.optional(z.string()),
  templateid: z.optional(z.string()),
});
const itemKey = z.object({ key_: z.string() });

/** Keys of the items of a host or template, by its technical name, that contain the text. */
export async function searchKeys(
  host: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const filter = { filter: { host } };
  const [hosts, templates] = await Promise.all([
    call("host.get", { output: ["hostid"], ...filter }, schema.listOf(holderId), signal),
    call("template.get", { output: ["templateid"], ...filter }, schema.listOf(holderId), signal),
  ]);
  const hostids = [...hosts, ...templates].flatMap((it) => it.hostid ?? it.templateid ?? []);
  if (hostids.length === 0) return [];
  const params = {
    hostids,
    output: ["key_"],
    search: { key_: text },
    sortfield: "key_",
    limit,
  } as const;
  return (await call("item.get", params, schema.listOf(itemKey), signal)).map((it) => it.key_);
}

export type ItemDraft = ItemCreate;

export async function createItem(draft: ItemDraft): Promise<Id> {
  const ids = await call("item.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updateItem(itemid: Id, draft: Partial<ItemDraft>): Promise<void> {
  await call("item.update", { itemid, ...draft }, schema.changed);
}

export async function setItemsStatus(itemids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = itemids.map((itemid) => ({ itemid, status }));
  await call("item.update", changes, schema.changed);
}

export async function deleteItems(itemids: readonly Id[]): Promise<void> {
  await call("item.delete", itemids, schema.changed);
}

/** Polls the items now, besides their interval. */
export async function executeNow(itemids: readonly Id[]): Promise<void> {
  const tasks = itemids.map((itemid) => ({ type: 6, request: { itemid } }));
  await call("task.create", tasks, schema.changed);
}

/** Deletes what is stored of the items: values and trends. */
export async function clearHistory(itemids: readonly Id[]): Promise<void> {
  await call("history.clear", itemids, schema.changed);
}

export async function fetchValueMaps(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly ValueMap[]> {
  const params = { hostids: [ownerid], output: ["valuemapid", "name"] } as const;
  return call("valuemap.get", params, schema.listOf(schema.valueMap), signal);
}

export async function fetchHistory(
  itemid: Id,
  valueType: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HistoryValue[]> {
  return call(
    "history.get",
    {
      itemids: [itemid],
      history: valueType,
      output: "extend",
      sortfield: "clock",
      sortorder: "DESC",
      limit,
    },
    schema.listOf(schema.historyValue),
    signal,
  );
}

const VALUE_FIELDS = [
  "itemid",
  "hostid",
  "name",
  "key_",
  "units",
  "value_type",
  "lastvalue",
  "lastclock",
  "state",
  "error",
] as const;

/** Items with their newest values: those that a trigger looks at, or those with the ids. */
export async function fetchValuedItems(
  which: { readonly triggerids: readonly Id[] } | { readonly itemids: readonly Id[] },
  signal?: AbortSignal,
): Promise<readonly ValuedItem[]> {
  return call(
    "item.get",
    { ...which, output: VALUE_FIELDS, selectHosts: ["hostid", "name"], sortfield: "name" },
    schema.listOf(schema.valuedItem),
    signal,
  );
}
