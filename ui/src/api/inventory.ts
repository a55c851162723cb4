// The inventory of a host: its fields, and what the server keeps of them.

import { t } from "@/lib/i18n";
import { HOST } from "./generated/host";
import { ITEM } from "./generated/item";
import { readerOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

const { one: DESCRIBED } = HOST.selects.inventory;

export type InventoryFieldName = keyof typeof DESCRIBED;

export type InventoryGroup = "device" | "software" | "network" | "dates" | "site" | "contacts";

export interface InventoryField {
  readonly name: InventoryFieldName;
  /** as Zabbix calls it */
  readonly title: string;
  /** in characters */
  readonly max: number;
  readonly group: InventoryGroup;
}

// several lines
const LONG = 65_535;

// in the order of their numbers, which items name them by
const FIELDS = {
  type: { title: t("Type"), group: "device" },
  type_full: { title: t("Type (Full details)"), group: "device" },
  name: { title: t("Name"), group: "device" },
  alias: { title: t("Alias"), group: "device" },
  os: { title: t("OS"), group: "software" },
  os_full: { title: t("OS (Full details)"), group: "software" },
  os_short: { title: t("OS (Short)"), group: "software" },
  serialno_a: { title: t("Serial number A"), group: "device" },
  serialno_b: { title: t("Serial number B"), group: "device" },
  tag: { title: t("Tag"), group: "device" },
  asset_tag: { title: t("Asset tag"), group: "device" },
  macaddress_a: { title: t("MAC address A"), group: "network" },
  macaddress_b: { title: t("MAC address B"), group: "network" },
  hardware: { title: t("Hardware"), group: "device" },
  hardware_full: { title: t("Hardware (Full details)"), group: "device" },
  software: { title: t("Software"), group: "software" },
  software_full: { title: t("Software (Full details)"), group: "software" },
  software_app_a: { title: t("Software application A"), group: "software" },
  software_app_b: { title: t("Software application B"), group: "software" },
  software_app_c: { title: t("Software application C"), group: "software" },
  software_app_d: { title: t("Software application D"), group: "software" },
  software_app_e: { title: t("Software application E"), group: "software" },
  contact: { title: t("Contact"), group: "contacts" },
  location: { title: t("Location"), group: "site" },
  location_lat: { title: t("Location latitude"), group: "site" },
  location_lon: { title: t("Location longitude"), group: "site" },
  notes: { title: t("Notes"), group: "device" },
  chassis: { title: t("Chassis"), group: "device" },
  model: { title: t("Model"), group: "device" },
  hw_arch: { title: t("HW architecture"), group: "device" },
  vendor: { title: t("Vendor"), group: "device" },
  contract_number: { title: t("Contract number"), group: "device" },
  installer_name: { title: t("Installer name"), group: "device" },
  deployment_status: { title: t("Deployment status"), group: "device" },
  url_a: { title: t("URL A"), group: "network" },
  url_b: { title: t("URL B"), group: "network" },
  url_c: { title: t("URL C"), group: "network" },
  host_networks: { title: t("Host networks"), group: "network" },
  host_netmask: { title: t("Host subnet mask"), group: "network" },
  host_router: { title: t("Host router"), group: "network" },
  oob_ip: { title: t("OOB IP address"), group: "network" },
  oob_netmask: { title: t("OOB subnet mask"), group: "network" },
  oob_router: { title: t("OOB router"), group: "network" },
  date_hw_purchase: { title: t("Date HW purchased"), group: "dates" },
  date_hw_install: { title: t("Date HW installed"), group: "dates" },
  date_hw_expiry: { title: t("Date HW maintenance expires"), group: "dates" },
  date_hw_decomm: { title: t("Date HW decommissioned"), group: "dates" },
  site_address_a: { title: t("Site address A"), group: "site" },
  site_address_b: { title: t("Site address B"), group: "site" },
  site_address_c: { title: t("Site address C"), group: "site" },
  site_city: { title: t("Site city"), group: "site" },
  site_state: { title: t("Site state / province"), group: "site" },
  site_country: { title: t("Site country"), group: "site" },
  site_zip: { title: t("Site ZIP / postal"), group: "site" },
  site_rack: { title: t("Site rack location"), group: "site" },
  site_notes: { title: t("Site notes"), group: "site" },
  poc_1_name: { title: t("Primary POC name"), group: "contacts" },
  poc_1_email: { title: t("Primary POC email"), group: "contacts" },
  poc_1_phone_a: { title: t("Primary POC phone A"), group: "contacts" },
  poc_1_phone_b: { title: t("Primary POC phone B"), group: "contacts" },
  poc_1_cell: { title: t("Primary POC cell"), group: "contacts" },
  poc_1_screen: { title: t("Primary POC screen name"), group: "contacts" },
  poc_1_notes: { title: t("Primary POC notes"), group: "contacts" },
  poc_2_name: { title: t("Secondary POC name"), group: "contacts" },
  poc_2_email: { title: t("Secondary POC email"), group: "contacts" },
  poc_2_phone_a: { title: t("Secondary POC phone A"), group: "contacts" },
  poc_2_phone_b: { title: t("Secondary POC phone B"), group: "contacts" },
  poc_2_cell: { title: t("Secondary POC cell"), group: "contacts" },
  poc_2_screen: { title: t("Secondary POC screen name"), group: "contacts" },
  poc_2_notes: { title: t("Secondary POC notes"), group: "contacts" },
} as const satisfies Record<InventoryFieldName, Omit<InventoryField, "name" | "max">>;

export const INVENTORY_FIELDS: readonly InventoryField[] = Object.entries(FIELDS).map(
  ([key, field]) => {
    const name = key as InventoryFieldName;
    return { name, max: DESCRIBED[name].max, ...field };
  },
);

export function isLong({ max }: InventoryField): boolean {
  return max === LONG;
}

export const { DISABLED, MANUAL, AUTOMATIC } = HOST.fields.inventory_mode.names;

export type InventoryTexts = Readonly<Partial<Record<InventoryFieldName, string>>>;

/** An item that fills a field. */
export interface InventoryItem {
  readonly itemid: Id;
  readonly name: string;
}

export interface HostInventory {
  readonly mode: string;
  /** filled fields only */
  readonly texts: InventoryTexts;
  /** by field */
  readonly items: ReadonlyMap<InventoryFieldName, InventoryItem>;
}

const HOSTS = readerOf(HOST, { output: ["inventory_mode"], selects: { inventory: "extend" } });
/** Items that fill a field. */
const LINKED = readerOf(ITEM, {
  output: ["itemid", "name", "inventory_link"],
  params: { filter: { inventory_link: INVENTORY_FIELDS.map((_, at) => at + 1) } },
});

export async function fetchInventory(
  hostid: Id,
  signal?: AbortSignal,
): Promise<HostInventory | undefined> {
  const of = { hostids: [hostid] };
  const [[host], items] = await Promise.all([HOSTS.get(of, signal), LINKED.get(of, signal)]);
  if (host === undefined) return undefined;
  const given: InventoryTexts = host.inventory ?? {};
  const filled = INVENTORY_FIELDS.map(({ name }) => [name, given[name] ?? ""] as const);
  const linked = items.flatMap(({ itemid, name, inventory_link }) => {
    const field = INVENTORY_FIELDS[Number(inventory_link) - 1];
    return field === undefined ? [] : [[field.name, { itemid, name }] as const];
  });
  return {
    mode: host.inventory_mode,
    texts: Object.fromEntries(filled.filter(([, text]) => text !== "")),
    items: new Map(linked),
  };
}

/** What changes: fields that are left out stay. */
export interface InventoryChange {
  readonly mode: string;
  readonly texts: InventoryTexts;
}

export async function saveInventory(hostid: Id, { mode, texts }: InventoryChange): Promise<void> {
  const inventory =
    mode === DISABLED || Object.keys(texts).length === 0 ? {} : { inventory: texts };
  await call("host.update", { hostid, inventory_mode: mode, ...inventory }, schema.changed);
}
