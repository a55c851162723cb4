// The stops of the pictures: the pages of the manifests, and those of the objects of the pictures' world with their
// panels and dialogs.

import type { Page } from "playwright-core";
import { tour } from "../tour";
import { LONG_NAME } from "./hosts";

export interface Stop {
  readonly name: string;
  readonly path: string;
  /** what is opened, picked or typed before the picture */
  readonly act?: (page: Page) => Promise<void>;
  /** also at phone size and in Russian: the pages that a person on call opens */
  readonly isMain?: boolean;
}

/** Lists that people open on a phone. */
const MAIN = new Set(["/", "/problems", "/latest", "/graphs", "/dashboards", "/hosts"]);

type Call = <Answer>(method: string, params: unknown) => Promise<Answer>;

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();

function main(name: string, path: string, act?: Stop["act"]): Stop {
  return { name, path, isMain: true, ...(act === undefined ? {} : { act }) };
}

function page(name: string, path: string, act?: Stop["act"]): Stop {
  return { name, path, ...(act === undefined ? {} : { act }) };
}

/** Ids of the first object of a name. */
class Finder {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async id(method: string, key: string, params: object): Promise<string> {
    const found = await this.#call<Record<string, string>[]>(`${method}.get`, {
      output: [key],
      limit: 1,
      ...params,
    });
    const id = found[0]?.[key];
    if (id === undefined) throw new Error(`${method}: nothing like ${JSON.stringify(params)}`);
    return id;
  }
}

export async function stopsOf(call: Call): Promise<readonly Stop[]> {
  const find = new Finder(call);
  const host = (name: string) => find.id("host", "hostid", { filter: { host: name } });
  const [web, long, backup, port] = [
    await host("web-1.fra"),
    await host(LONG_NAME),
    await host("backup-1.hel"),
    await host("switch-1.fra"),
  ];
  const template = await find.id("template", "templateid", {
    filter: { host: "Server of the shop" },
  });
  const linux = await find.id("template", "templateid", { filter: { host: "Linux by agent" } });
  return [
    ...tour().map(({ name, path }) => ({ name, path, isMain: MAIN.has(path) })),
    ...monitoring(),
    ...(await monitored(find, web)),
    ...hostPages(web, "host"),
    main("host-overview-switch", `/hosts/${port}/overview`),
    main("host-overview-long", `/hosts/${long}/overview`),
    page("host-overview-unreachable", `/hosts/${backup}/overview`),
    page("host-configuration-interfaces", `/hosts/${backup}/configuration`),
    page("host-problems-none", `/hosts/${backup}/problems`),
    page("host-dashboards", `/hosts/${web}/dashboards`),
    ...(await holderPages(find, "host", `/hosts/${web}`, web)),
    ...(await holderPages(find, "template", `/templates/${template}`, template)),
    page("template-linux-items", `/templates/${linux}/items`),
    page("template-linux-configuration", `/templates/${linux}/configuration`),
    page("template-linux-dashboards", `/templates/${linux}/dashboards`),
    ...configuration(),
    ...(await configured(find)),
    ...administration(),
    ...(await administrated(find)),
  ];
}

function monitoring(): Stop[] {
  return [
    main("problems-panel", "/problems", async (it) => {
      await it.getByRole("row").nth(2).click();
      await it.getByRole("complementary").first().waitFor();
    }),
    main("problems-update", "/problems", async (it) => {
      // as anybody does it on a telephone, too
      await it.getByRole("row").nth(2).click();
      await it.getByRole("complementary").getByRole("button", { name: "Update" }).click();
      await it.getByRole("dialog").waitFor();
    }),
    page("problems-facets", "/problems", async (it) => {
      await it.getByRole("switch", { name: "Facets" }).click({ force: true });
      await it.getByPlaceholder("Find a host, group or tag").waitFor();
    }),
    page("problems-none", "/problems?q=nothing%20is%20called%20so"),
    page("latest-panel", "/latest?q=CPU", async (it) => {
      await it.getByRole("row").nth(1).click();
      await it.getByRole("complementary").first().waitFor();
    }),
    page("latest-none", "/latest?q=nothing%20is%20called%20so"),
    page("dashboard-new", "/dashboards", async (it) => {
      await press("New dashboard")(it);
      await it.getByRole("dialog").waitFor();
    }),
    page("palette", "/problems", async (it) => {
      await it.keyboard.press("Control+k");
      await it.getByPlaceholder("Search pages, hosts and templates").fill("web");
      await it.getByRole("dialog").getByText("web-1.fra").first().waitFor();
    }),
    page("keys", "/problems", async (it) => {
      await it.keyboard.press("?");
      await it.getByRole("dialog").waitFor();
    }),
    page("no-such-page", "/nowhere"),
    page("docs-page", "/docs/from-problem-to-person"),
    page("docs-api-host", "/docs/api/host"),
  ];
}

async function monitored(find: Finder, web: string): Promise<Stop[]> {
  const event = await find.id("problem", "eventid", { search: { name: "RAID" } });
  const board = await find.id("dashboard", "dashboardid", {
    filter: { name: "The shop at a glance" },
  });
  const empty = await find.id("dashboard", "dashboardid", { filter: { name: "Empty" } });
  const global = await find.id("dashboard", "dashboardid", { filter: { name: "Global view" } });
  const map = await find.id("map", "sysmapid", { filter: { name: "Data center" } });
  const frankfurt = await find.id("map", "sysmapid", {
    filter: { name: "Site Frankfurt" },
  });
  const graph = await find.id("graph", "graphid", {
    hostids: [web],
    filter: { name: "CPU and load" },
  });
  const item = (key_: string) => find.id("item", "itemid", { hostids: [web], filter: { key_ } });
  const items = [await item("cpu"), await item("load"), await item("mem")].join(",");
  const service = await find.id("service", "serviceid", { filter: { name: "Web shop" } });
  const sla = await find.id("sla", "slaid", { search: { name: "Gold" } });
  const oncall = await find.id("oncall", "oncallid", { filter: { name: "Operations" } });
  return [
    main("event", `/events/${event}`),
    main("dashboard-global", `/dashboards/${global}`),
    main("dashboard", `/dashboards/${board}`),
    page("dashboard-hosts", `/dashboards/${board}?page=2`),
    page("dashboard-further", `/dashboards/${board}?page=3`),
    page("dashboard-empty", `/dashboards/${empty}`),
    page("dashboard-edit", `/dashboards/${board}/edit`),
    page("dashboard-widget", `/dashboards/${board}/edit`, async (it) => {
      await press("Add widget")(it);
      await it.getByRole("dialog").waitFor();
    }),
    page("graph", `/graphs/${graph}`),
    page("latest-graph", `/latest/graph?items=${items}&from=now-24h`),
    page("latest-history", `/latest/history?items=${await item("log")}`),
    page("latest-history-numbers", `/latest/history?items=${await item("cpu")}`),
    page("map", `/maps/${map}`),
    page("map-group", `/maps/${frankfurt}`),
    page("map-edit", `/maps/${map}/edit`),
    page("service", `/services/${service}`),
    page("sla-gold", `/sla/${sla}`),
    page("sla-report", `/sla/${sla}/report`),
    page("oncall-schedule", `/oncall/${oncall}`),
    page("oncall-month", `/oncall/${oncall}?view=month`),
    page("oncall-edit", `/oncall/${oncall}/edit`),
  ];
}

function hostPages(hostid: string, name: string): Stop[] {
  const base = `/hosts/${hostid}`;
  return [
    main(`${name}-overview`, `${base}/overview`),
    main(`${name}-latest`, `${base}/latest`),
    main(`${name}-problems`, `${base}/problems`),
    page(`${name}-graphs`, `${base}/graphs`),
    page(`${name}-inventory`, `${base}/inventory`),
    page(`${name}-inventory-edit`, `${base}/inventory/edit`),
  ];
}

/** Lists and forms that hosts and templates have alike. */
async function holderPages(find: Finder, name: string, base: string, id: string): Promise<Stop[]> {
  const hostids = [id];
  const item = await find.id("item", "itemid", { hostids, filter: { key_: "cpu" } });
  const trigger = await find.id("trigger", "triggerid", {
    hostids,
    search: { description: "CPU" },
  });
  const rule = await find.id("discoveryrule", "itemid", { hostids, search: { key_: "vfs.fs" } });
  const graph = await find.id("graph", "graphid", { hostids, filter: { name: "Memory" } });
  const discoveryids = [rule];
  const prototype = await find.id("itemprototype", "itemid", { discoveryids });
  const triggerPrototype = await find.id("triggerprototype", "triggerid", { discoveryids });
  const below = `${base}/discovery/${rule}`;
  return [
    page(`${name}-configuration`, `${base}/configuration`),
    page(`${name}-items`, `${base}/items`),
    page(`${name}-items-picked`, `${base}/items`, async (it) => {
      await it.getByRole("checkbox", { name: /^Pick/ }).nth(2).click();
    }),
    page(`${name}-item`, `${base}/items/${item}`),
    page(`${name}-item-new`, `${base}/items/new`),
    page(`${name}-triggers`, `${base}/triggers`),
    page(`${name}-trigger`, `${base}/triggers/${trigger}`),
    page(`${name}-trigger-new`, `${base}/triggers/new`),
    page(`${name}-graph-list`, `${base}/graphs/list`),
    page(`${name}-graph`, `${base}/graphs/list/${graph}`),
    page(`${name}-graph-new`, `${base}/graphs/list/new`),
    page(`${name}-rules`, `${base}/discovery`),
    page(`${name}-rule`, below),
    page(`${name}-rule-new`, `${base}/discovery/new`),
    page(`${name}-item-prototype`, `${below}/prototypes/${prototype}`),
    page(`${name}-trigger-prototype`, `${below}/trigger-prototypes/${triggerPrototype}`),
    page(`${name}-graph-prototype-new`, `${below}/graph-prototypes/new`),
    page(`${name}-host-prototype-new`, `${below}/host-prototypes/new`),
    page(`${name}-rule-prototype-new`, `${below}/rule-prototypes/new`),
    page(`${name}-web`, `${base}/web`),
    page(`${name}-web-new`, `${base}/web/new`),
    page(`${name}-macros`, `${base}/macros`),
    page(`${name}-valuemaps`, `${base}/valuemaps`),
    page(`${name}-valuemap-new`, `${base}/valuemaps/new`),
  ];
}

function configuration(): Stop[] {
  return [
    page("hosts-picked", "/hosts", async (it) => {
      await it.getByRole("checkbox", { name: /^Pick/ }).nth(1).click();
      await it.getByRole("checkbox", { name: /^Pick/ }).nth(2).click();
    }),
    page("hosts-none", "/hosts?q=nothing%20is%20called%20so"),
    page("start-agent", "/start?way=agent"),
    page("start-snmp", "/start?way=snmp"),
  ];
}

async function configured(find: Finder): Promise<Stop[]> {
  const maintenance = await find.id("maintenance", "maintenanceid", { search: { name: "Sunday" } });
  const action = await find.id("action", "actionid", { filter: { name: "Notify the operators" } });
  const rule = await find.id("drule", "druleid", { search: { name: "Machines" } });
  const correlation = await find.id("correlation", "correlationid", {});
  const script = await find.id("script", "scriptid", { search: { name: "Restart" } });
  const mail = await find.id("mediatype", "mediatypeid", { filter: { type: 0 } });
  const chat = await find.id("mediatype", "mediatypeid", { filter: { name: "Team chat" } });
  return [
    page("maintenance-weekly", `/maintenance/${maintenance}`),
    page("action", `/actions/${action}`),
    page("network-rule", `/network-discovery/${rule}`),
    page("correlation-rule", `/correlation/${correlation}`),
    page("script", `/scripts/${script}`),
    page("mediatype-mail", `/mediatypes/${mail}`),
    page("mediatype-webhook", `/mediatypes/${chat}`),
  ];
}

function administration(): Stop[] {
  return [
    page("audit-details", "/audit", async (it) => {
      await it.getByRole("row").nth(8).click();
      await it.getByRole("dialog").waitFor();
    }),
  ];
}

async function administrated(find: Finder): Promise<Stop[]> {
  const user = await find.id("user", "userid", { filter: { username: "ada" } });
  const group = await find.id("usergroup", "usrgrpid", { filter: { name: "Operators" } });
  const role = await find.id("role", "roleid", { filter: { name: "Reads reports" } });
  const token = await find.id("token", "tokenid", { filter: { name: "Grafana" } });
  const regexp = await find.id("regexp", "regexpid", { search: { name: "File systems" } });
  const connector = await find.id("connector", "connectorid", { search: { name: "lake" } });
  return [
    page("user", `/users/${user}`),
    page("usergroup", `/usergroups/${group}`),
    page("role", `/roles/${role}`),
    page("token", `/tokens/${token}`),
    page("regexp", `/regexps/${regexp}`),
    page("connector", `/connectors/${connector}`),
  ];
}
