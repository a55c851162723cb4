// The inventory of a host: its fields, and what the server keeps of them.

import * as z from "zod/mini";
import type { Inventory } from "./generated/parts";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export type InventoryFieldName = keyof Inventory;

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
  type: { title: "Type", max: 64, group: "device" },
  type_full: { title: "Type (Full details)", max: 64, group: "device" },
  name: { title: "Name", max: 128, group: "device" },
  alias: { title: "Alias", max: 128, group: "device" },
  os: { title: "OS", max: 128, group: "software" },
  os_full: { title: "OS (Full details)", max: 255, group: "software" },
  os_short: { title: "OS (Short)", max: 128, group: "software" },
  serialno_a: { title: "Serial number A", max: 64, group: "device" },
  serialno_b: { title: "Serial number B", max: 64, group: "device" },
  tag: { title: "Tag", max: 64, group: "device" },
  asset_tag: { title: "Asset tag", max: 64, group: "device" },
  macaddress_a: { title: "MAC address A", max: 64, group: "network" },
  macaddress_b: { title: "MAC address B", max: 64, group: "network" },
  hardware: { title: "Hardware", max: 255, group: "device" },
  hardware_full: { title: "Hardware (Full details)", max: LONG, group: "device" },
  software: { title: "Software", max: 255, group: "software" },
  software_full: { title: "Software (Full details)", max: LONG, group: "software" },
  software_app_a: { title: "Software application A", max: 64, group: "software" },
  software_app_b: { title: "Software application B", max: 64, group: "software" },
  software_app_c: { title: "Software application C", max: 64, group: "software" },
  software_app_d: { title: "Software application D", max: 64, group: "software" },
  software_app_e: { title: "Software application E", max: 64, group: "software" },
  contact: { title: "Contact", max: LONG, group: "contacts" },
  location: { title: "Location", max: LONG, group: "site" },
  location_lat: { title: "Location latitude", max: 16, group: "site" },
  location_lon: { title: "Location longitude", max: 16, group: "site" },
  notes: { title: "Notes", max: LONG, group: "device" },
  chassis: { title: "Chassis", max: 64, group: "device" },
  model: { title: "Model", max: 64, group: "device" },
  hw_arch: { title: "HW architecture", max: 32, group: "device" },
  vendor: { title: "Vendor", max: 64, group: "device" },
  contract_number: { title: "Contract number", max: 64, group: "device" },
  installer_name: { title: "Installer name", max: 64, group: "device" },
  deployment_status: { title: "Deployment status", max: 64, group: "device" },
  url_a: { title: "URL A", max: 2048, group: "network" },
  url_b: { title: "URL B", max: 2048, group: "network" },
  url_c: { title: "URL C", max: 2048, group: "network" },
  host_networks: { title: "Host networks", max: LONG, group: "network" },
  host_netmask: { title: "Host subnet mask", max: 39, group: "network" },
  host_router: { title: "Host router", max: 39, group: "network" },
  oob_ip: { title: "OOB IP address", max: 39, group: "network" },
  oob_netmask: { title: "OOB subnet mask", max: 39, group: "network" },
  oob_router: { title: "OOB router", max: 39, group: "network" },
  date_hw_purchase: { title: "Date HW purchased", max: 64, group: "dates" },
  date_hw_install: { title: "Date HW installed", max: 64, group: "dates" },
  date_hw_expiry: { title: "Date HW maintenance expires", max: 64, group: "dates" },
  date_hw_decomm: { title: "Date HW decommissioned", max: 64, group: "dates" },
  site_address_a: { title: "Site address A", max: 128, group: "site" },
  site_address_b: { title: "Site address B", max: 128, group: "site" },
  site_address_c: { title: "Site address C", max: 128, group: "site" },
  site_city: { title: "Site city", max: 128, group: "site" },
  site_state: { title: "Site state / province", max: 64, group: "site" },
  site_country: { title: "Site country", max: 64, group: "site" },
  site_zip: { title: "Site ZIP / postal", max: 64, group: "site" },
  site_rack: { title: "Site rack location", max: 128, group: "site" },
  site_notes: { title: "Site notes", max: LONG, group: "site" },
  poc_1_name: { title: "Primary POC name", max: 128, group: "contacts" },
  poc_1_email: { title: "Primary POC email", max: 128, group: "contacts" },
  poc_1_phone_a: { title: "Primary POC phone A", max: 64, group: "contacts" },
  poc_1_phone_b: { title: "Primary POC phone B", max: 64, group: "contacts" },
  poc_1_cell: { title: "Primary POC cell", max: 64, group: "contacts" },
  poc_1_screen: { title: "Primary POC screen name", max: 64, group: "contacts" },
  poc_1_notes: { title: "Primary POC notes", max: LONG, group: "contacts" },
  poc_2_name: { title: "Secondary POC name", max: 128, group: "contacts" },
  poc_2_email: { title: "Secondary POC email", max: 128, group: "contacts" },
  poc_2_phone_a: { title: "Secondary POC phone A", max: 64, group: "contacts" },
  poc_2_phone_b: { title: "Secondary POC phone B", max: 64, group: "contacts" },
  poc_2_cell: { title: "Secondary POC cell", max: 64, group: "contacts" },
  poc_2_screen: { title: "Secondary POC screen name", max: 64, group: "contacts" },
  poc_2_notes: { title: "Secondary POC notes", max: LONG, group: "contacts" },
} as const satisfies Record<InventoryFieldName, Omit<InventoryField, "name">>;

export const INVENTORY_FIELDS: readonly InventoryField[] = Object.entries(FIELDS).map(
  ([name, field]) => ({ name: name as InventoryFieldName, ...field }),
);

export function isLong({ max }: InventoryField): boolean {
  return max === LONG;
}

export const DISABLED = "-1";
export const MANUAL = "0";
export const AUTOMATIC = "1";

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

const hostInventory = z.object({
  inventory_mode: z.string(),
  // an empty list where there is none
  inventory: z.union([z.record(z.string(), z.string()), z.array(z.never())]),
});

const linkedItem = z.object({ itemid: z.string(), name: z.string(), inventory_link: z.string() });

export async function fetchInventory(
  hostid: Id,
  signal?: AbortSignal,
): Promise<HostInventory | undefined> {
  const [hosts, items] = await Promise.all([
    call(
      "host.get",
      { hostids: [hostid], output: ["inventory_mode"], selectInventory: "extend" },
      schema.listOf(hostInventory),
      signal,
    ),
    call(
      "item.get",
      {
        hostids: [hostid],
        output: ["itemid", "name", "inventory_link"],
        filter: { inventory_link: INVENTORY_FIELDS.map((_, at) => at + 1) },
      },
      schema.listOf(linkedItem),
      signal,
    ),
  ]);
  const host = hosts[0];
  if (host === undefined) return undefined;
  const given = Array.isArray(host.inventory) ? {} : host.inventory;
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
