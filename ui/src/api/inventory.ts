// The inventory of a host: its fields, and what the server keeps of them.

import * as z from "zod/mini";
import { t } from "@/lib/i18n";
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
  type: { title: t("Type"), max: 64, group: "device" },
  type_full: { title: t("Type (Full details)"), max: 64, group: "device" },
  name: { title: t("Name"), max: 128, group: "device" },
  alias: { title: t("Alias"), max: 128, group: "device" },
  os: { title: t("OS"), max: 128, group: "software" },
  os_full: { title: t("OS (Full details)"), max: 255, group: "software" },
  os_short: { title: t("OS (Short)"), max: 128, group: "software" },
  serialno_a: { title: t("Serial number A"), max: 64, group: "device" },
  serialno_b: { title: t("Serial number B"), max: 64, group: "device" },
  tag: { title: t("Tag"), max: 64, group: "device" },
  asset_tag: { title: t("Asset tag"), max: 64, group: "device" },
  macaddress_a: { title: t("MAC address A"), max: 64, group: "network" },
  macaddress_b: { title: t("MAC address B"), max: 64, group: "network" },
  hardware: { title: t("Hardware"), max: 255, group: "device" },
  hardware_full: { title: t("Hardware (Full details)"), max: LONG, group: "device" },
  software: { title: t("Software"), max: 255, group: "software" },
  software_full: { title: t("Software (Full details)"), max: LONG, group: "software" },
  software_app_a: { title: t("Software application A"), max: 64, group: "software" },
  software_app_b: { title: t("Software application B"), max: 64, group: "software" },
  software_app_c: { title: t("Software application C"), max: 64, group: "software" },
  software_app_d: { title: t("Software application D"), max: 64, group: "software" },
  software_app_e: { title: t("Software application E"), max: 64, group: "software" },
  contact: { title: t("Contact"), max: LONG, group: "contacts" },
  location: { title: t("Location"), max: LONG, group: "site" },
  location_lat: { title: t("Location latitude"), max: 16, group: "site" },
  location_lon: { title: t("Location longitude"), max: 16, group: "site" },
  notes: { title: t("Notes"), max: LONG, group: "device" },
  chassis: { title: t("Chassis"), max: 64, group: "device" },
  model: { title: t("Model"), max: 64, group: "device" },
  hw_arch: { title: t("HW architecture"), max: 32, group: "device" },
  vendor: { title: t("Vendor"), max: 64, group: "device" },
  contract_number: { title: t("Contract number"), max: 64, group: "device" },
  installer_name: { title: t("Installer name"), max: 64, group: "device" },
  deployment_status: { title: t("Deployment status"), max: 64, group: "device" },
  url_a: { title: t("URL A"), max: 2048, group: "network" },
  url_b: { title: t("URL B"), max: 2048, group: "network" },
  url_c: { title: t("URL C"), max: 2048, group: "network" },
  host_networks: { title: t("Host networks"), max: LONG, group: "network" },
  host_netmask: { title: t("Host subnet mask"), max: 39, group: "network" },
  host_router: { title: t("Host router"), max: 39, group: "network" },
  oob_ip: { title: t("OOB IP address"), max: 39, group: "network" },
  oob_netmask: { title: t("OOB subnet mask"), max: 39, group: "network" },
  oob_router: { title: t("OOB router"), max: 39, group: "network" },
  date_hw_purchase: { title: t("Date HW purchased"), max: 64, group: "dates" },
  date_hw_install: { title: t("Date HW installed"), max: 64, group: "dates" },
  date_hw_expiry: { title: t("Date HW maintenance expires"), max: 64, group: "dates" },
  date_hw_decomm: { title: t("Date HW decommissioned"), max: 64, group: "dates" },
  site_address_a: { title: t("Site address A"), max: 128, group: "site" },
  site_address_b: { title: t("Site address B"), max: 128, group: "site" },
  site_address_c: { title: t("Site address C"), max: 128, group: "site" },
  site_city: { title: t("Site city"), max: 128, group: "site" },
  site_state: { title: t("Site state / province"), max: 64, group: "site" },
  site_country: { title: t("Site country"), max: 64, group: "site" },
  site_zip: { title: t("Site ZIP / postal"), max: 64, group: "site" },
  site_rack: { title: t("Site rack location"), max: 128, group: "site" },
  site_notes: { title: t("Site notes"), max: LONG, group: "site" },
  poc_1_name: { title: t("Primary POC name"), max: 128, group: "contacts" },
  poc_1_email: { title: t("Primary POC email"), max: 128, group: "contacts" },
  poc_1_phone_a: { title: t("Primary POC phone A"), max: 64, group: "contacts" },
  poc_1_phone_b: { title: t("Primary POC phone B"), max: 64, group: "contacts" },
  poc_1_cell: { title: t("Primary POC cell"), max: 64, group: "contacts" },
  poc_1_screen: { title: t("Primary POC screen name"), max: 64, group: "contacts" },
  poc_1_notes: { title: t("Primary POC notes"), max: LONG, group: "contacts" },
  poc_2_name: { title: t("Secondary POC name"), max: 128, group: "contacts" },
  poc_2_email: { title: t("Secondary POC email"), max: 128, group: "contacts" },
  poc_2_phone_a: { title: t("Secondary POC phone A"), max: 64, group: "contacts" },
  poc_2_phone_b: { title: t("Secondary POC phone B"), max: 64, group: "contacts" },
  poc_2_cell: { title: t("Secondary POC cell"), max: 64, group: "contacts" },
  poc_2_screen: { title: t("Secondary POC screen name"), max: 64, group: "contacts" },
  poc_2_notes: { title: t("Secondary POC notes"), max: LONG, group: "contacts" },
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
