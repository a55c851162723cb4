// Items, their value maps and stored values.

import { HISTORY_VALUE } from "./generated/history-value";
import { HOST } from "./generated/host";
import { ITEM } from "./generated/item";
import { TEMPLATE } from "./generated/template";
import { VALUE_MAP } from "./generated/value-map";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { ExpressionItem } from "./testing";
import type { Id, ValuedItem } from "./types";

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

const TAGS = ["tag", "value"] as const;

export const ITEMS = objectsOf(ITEM, {
  output: [...ITEM_FIELDS, ...REQUEST_FIELDS],
  selects: { tags: TAGS, preprocessing: STEP_FIELDS },
});
const ROWS = readerOf(ITEM, {
  output: ITEM_FIELDS,
  selects: { tags: TAGS },
  params: { sortfield: "name" },
});

export type Item = AnswerOf<typeof ITEMS>;
export type ItemRow = AnswerOf<typeof ROWS>;
export type ItemDraft = DraftOf<"item">;

export async function fetchItems(ownerid: Id, signal?: AbortSignal): Promise<readonly ItemRow[]> {
  // templates are hosts to this call: their ids are accepted as host ids
  return ROWS.get({ hostids: [ownerid] }, signal);
}

export interface ItemAddress {
  readonly host: string;
  readonly key: string;
}

const HOSTS = readerOf(HOST, { output: ["hostid", "host"] });
const TEMPLATES = readerOf(TEMPLATE, { output: ["templateid", "host"] });
const KEYS = readerOf(ITEM, {
  output: ["itemid", "hostid", "name", "key_", "units", "value_type"],
});

/** The items at these addresses, those that are there. */
export async function fetchExpressionItems(
  addresses: readonly ItemAddress[],
  signal?: AbortSignal,
): Promise<readonly ExpressionItem[]> {
  if (addresses.length === 0) return [];
  const hosts = await HOSTS.get({ filter: { host: addresses.map((it) => it.host) } }, signal);
  const items = await KEYS.get(
    {
      hostids: hosts.map((it) => it.hostid),
      filter: { key_: addresses.map((it) => it.key) },
    },
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
  const params = { search: { host: text }, startSearch: true, limit } as const;
  const [hosts, templates] = await Promise.all([
    HOSTS.get(params, signal),
    TEMPLATES.get(params, signal),
  ]);
  return [...hosts, ...templates].map(({ host }) => host).slice(0, limit);
}

/** Keys of the items of a host or template, by its technical name, that contain the text. */
export async function searchKeys(
  host: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const named = { filter: { host } };
  const [hosts, templates] = await Promise.all([
    HOSTS.get(named, signal),
    TEMPLATES.get(named, signal),
  ]);
  const hostids = [...hosts.map((it) => it.hostid), ...templates.map((it) => it.templateid)];
  if (hostids.length === 0) return [];
  const params = { hostids, search: { key_: text }, sortfield: "key_", limit };
  return (await KEYS.get(params, signal)).map((it) => it.key_);
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

const VALUE_MAPS = readerOf(VALUE_MAP, { output: ["valuemapid", "name"] });
export type ValueMap = AnswerOf<typeof VALUE_MAPS>;

export async function fetchValueMaps(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly ValueMap[]> {
  return VALUE_MAPS.get({ hostids: [ownerid] }, signal);
}

const VALUES = readerOf(HISTORY_VALUE, {
  output: ["itemid", "clock", "ns", "value"],
  params: { sortfield: "clock", sortorder: "DESC" },
});
export type HistoryValue = AnswerOf<typeof VALUES>;

export async function fetchHistory(
  itemid: Id,
  valueType: number,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HistoryValue[]> {
  return VALUES.get({ itemids: [itemid], history: valueType, limit }, signal);
}

const VALUED = readerOf(ITEM, {
  output: [
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
  ],
  selects: { hosts: ["hostid", "name"] },
  params: { sortfield: "name" },
});

/** Items with their newest values: those that a trigger looks at, or those with the ids. */
export async function fetchValuedItems(
  which: { readonly triggerids: readonly Id[] } | { readonly itemids: readonly Id[] },
  signal?: AbortSignal,
): Promise<readonly ValuedItem[]> {
  const found = await VALUED.get(which, signal);
  return found.map(({ key_, value_type, lastclock, hosts, ...item }) => ({
    ...item,
    host: hosts[0]?.name ?? "",
    key: key_,
    valueType: Number(value_type),
    lastclock: Number(lastclock),
  }));
}
