// Addresses of hosts and templates, and of what both have: items, triggers, graphs, discovery rules, macros.

import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { shell } from "./root-tree";
import { pickSearch } from "./search";
import { BOARD_SEARCH, LATEST_SEARCH, PROBLEM_SEARCH } from "./searches";

const HOSTS_SEARCH = [
  "q",
  "groups",
  "templates",
  "tags",
  "status",
  "availability",
  "sort",
] as const;
const dashboardRoutes = () => import("./dashboard-routes");

// ---- hosts

const hosts = createRoute({
  getParentRoute: () => shell,
  path: "/hosts",
  validateSearch: (search) => pickSearch(search, HOSTS_SEARCH),
  component: lazyRouteComponent(() => import("./host-routes"), "HostsRoute"),
});

const hostNew = createRoute({
  getParentRoute: () => shell,
  path: "/hosts/new",
  component: lazyRouteComponent(() => import("./host-routes"), "HostNewRoute"),
});

const start = createRoute({
  getParentRoute: () => shell,
  path: "/start",
  validateSearch: (search) => pickSearch(search, ["way"]),
  component: lazyRouteComponent(() => import("./host-routes"), "StartRoute"),
});

const host = createRoute({
  getParentRoute: () => shell,
  path: "/hosts/$hostid",
  component: lazyRouteComponent(() => import("./host-routes"), "HostLayout"),
});

const hostIndex = createRoute({
  getParentRoute: () => host,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/hosts/$hostid/overview", params, replace: true });
  },
});

const hostOverview = createRoute({
  getParentRoute: () => host,
  path: "overview",
  validateSearch: (search) => pickSearch(search, ["from", "to", "q"]),
  component: lazyRouteComponent(() => import("./host-routes"), "HostOverviewRoute"),
});

const hostGraphs = createRoute({
  getParentRoute: () => host,
  path: "graphs",
  validateSearch: (search) => pickSearch(search, ["from", "to", "q"]),
  component: lazyRouteComponent(() => import("./host-routes"), "HostGraphsRoute"),
});

const hostDashboards = createRoute({
  getParentRoute: () => host,
  path: "dashboards",
  validateSearch: (search) => pickSearch(search, [...BOARD_SEARCH, "dashboard"]),
  component: lazyRouteComponent(dashboardRoutes, "HostDashboardsRoute"),
});

const hostLatest = createRoute({
  getParentRoute: () => host,
  path: "latest",
  validateSearch: (search) => pickSearch(search, LATEST_SEARCH),
  component: lazyRouteComponent(() => import("./latest-routes"), "HostLatestRoute"),
});

const hostProblems = createRoute({
  getParentRoute: () => host,
  path: "problems",
  validateSearch: (search) => pickSearch(search, PROBLEM_SEARCH),
  component: lazyRouteComponent(() => import("./problem-routes"), "HostProblemsRoute"),
});

const hostInventory = createRoute({
  getParentRoute: () => host,
  path: "inventory",
  validateSearch: (search) => pickSearch(search, ["q", "show"]),
  component: lazyRouteComponent(() => import("./host-routes"), "HostInventoryRoute"),
});

const hostInventoryEdit = createRoute({
  getParentRoute: () => host,
  path: "inventory/edit",
  component: lazyRouteComponent(() => import("./host-routes"), "HostInventoryEditRoute"),
});

const hostSettings = createRoute({
  getParentRoute: () => host,
  path: "configuration",
  component: lazyRouteComponent(() => import("./host-routes"), "HostEditRoute"),
});

// ---- templates

const templates = createRoute({
  getParentRoute: () => shell,
  path: "/templates",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./template-routes"), "TemplatesRoute"),
});

const templateNew = createRoute({
  getParentRoute: () => shell,
  path: "/templates/new",
  component: lazyRouteComponent(() => import("./template-routes"), "TemplateNewRoute"),
});

const template = createRoute({
  getParentRoute: () => shell,
  path: "/templates/$templateid",
  component: lazyRouteComponent(() => import("./template-routes"), "TemplateLayout"),
});

const templateIndex = createRoute({
  getParentRoute: () => template,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/templates/$templateid/items", params, replace: true });
  },
});

const templateSettings = createRoute({
  getParentRoute: () => template,
  path: "configuration",
  component: lazyRouteComponent(() => import("./template-routes"), "TemplateEditRoute"),
});

const templateDashboards = createRoute({
  getParentRoute: () => template,
  path: "dashboards",
  component: lazyRouteComponent(dashboardRoutes, "TemplateDashboardsRoute"),
});

const templateDashboard = createRoute({
  getParentRoute: () => template,
  path: "dashboards/$dashboardid",
  validateSearch: (search) => pickSearch(search, ["copy"]),
  component: lazyRouteComponent(dashboardRoutes, "TemplateDashboardRoute"),
});

// ---- items, triggers and discovery rules of a host or a template

const configuration = () => import("./configuration-routes");
const list = (search: Record<string, unknown>) => pickSearch(search, ["q"]);

/** The same pages below both: `configuration-routes.tsx` finds the owner by the address. */
const PARTS = {
  items: {
    path: "items",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "ItemsRoute"),
  },
  item: {
    path: "items/$itemid",
    component: lazyRouteComponent(configuration, "ItemRoute"),
  },
  triggers: {
    path: "triggers",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "TriggersRoute"),
  },
  trigger: {
    path: "triggers/$triggerid",
    component: lazyRouteComponent(configuration, "TriggerRoute"),
  },
  rules: {
    path: "discovery",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "RulesRoute"),
  },
  rule: {
    path: "discovery/$ruleid",
    component: lazyRouteComponent(configuration, "RuleRoute"),
  },
  rulePrototype: {
    path: "discovery/$ruleid/rule-prototypes/new",
    component: lazyRouteComponent(configuration, "NewRulePrototypeRoute"),
  },
  prototype: {
    path: "discovery/$ruleid/prototypes/$itemid",
    component: lazyRouteComponent(configuration, "PrototypeRoute"),
  },
  triggerPrototype: {
    path: "discovery/$ruleid/trigger-prototypes/$triggerid",
    component: lazyRouteComponent(configuration, "TriggerPrototypeRoute"),
  },
  hostPrototype: {
    path: "discovery/$ruleid/host-prototypes/$prototypeid",
    component: lazyRouteComponent(configuration, "HostPrototypeRoute"),
  },
  macros: {
    path: "macros",
    component: lazyRouteComponent(configuration, "MacrosOfRoute"),
  },
  valueMaps: {
    path: "valuemaps",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "ValueMapsRoute"),
  },
  valueMap: {
    path: "valuemaps/$valuemapid",
    component: lazyRouteComponent(configuration, "ValueMapRoute"),
  },
  graphs: {
    path: "graphs/list",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "GraphListRoute"),
  },
  graph: {
    path: "graphs/list/$graphid",
    component: lazyRouteComponent(configuration, "GraphConfigRoute"),
  },
  graphPrototype: {
    path: "discovery/$ruleid/graph-prototypes/$graphid",
    component: lazyRouteComponent(configuration, "GraphPrototypeRoute"),
  },
  scenarios: {
    path: "web",
    validateSearch: list,
    component: lazyRouteComponent(configuration, "ScenariosRoute"),
  },
  scenario: {
    path: "web/$httptestid",
    component: lazyRouteComponent(configuration, "ScenarioRoute"),
  },
} as const;

// a function over both would lose the types of their addresses
const hostParts = [
  createRoute({ getParentRoute: () => host, ...PARTS.items }),
  createRoute({ getParentRoute: () => host, ...PARTS.item }),
  createRoute({ getParentRoute: () => host, ...PARTS.triggers }),
  createRoute({ getParentRoute: () => host, ...PARTS.trigger }),
  createRoute({ getParentRoute: () => host, ...PARTS.rules }),
  createRoute({ getParentRoute: () => host, ...PARTS.rule }),
  createRoute({ getParentRoute: () => host, ...PARTS.rulePrototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.prototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.triggerPrototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.hostPrototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.macros }),
  createRoute({ getParentRoute: () => host, ...PARTS.valueMaps }),
  createRoute({ getParentRoute: () => host, ...PARTS.valueMap }),
  createRoute({ getParentRoute: () => host, ...PARTS.graphs }),
  createRoute({ getParentRoute: () => host, ...PARTS.graph }),
  createRoute({ getParentRoute: () => host, ...PARTS.graphPrototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.scenarios }),
  createRoute({ getParentRoute: () => host, ...PARTS.scenario }),
] as const;

const templateParts = [
  createRoute({ getParentRoute: () => template, ...PARTS.items }),
  createRoute({ getParentRoute: () => template, ...PARTS.item }),
  createRoute({ getParentRoute: () => template, ...PARTS.triggers }),
  createRoute({ getParentRoute: () => template, ...PARTS.trigger }),
  createRoute({ getParentRoute: () => template, ...PARTS.rules }),
  createRoute({ getParentRoute: () => template, ...PARTS.rule }),
  createRoute({ getParentRoute: () => template, ...PARTS.rulePrototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.prototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.triggerPrototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.hostPrototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.macros }),
  createRoute({ getParentRoute: () => template, ...PARTS.valueMaps }),
  createRoute({ getParentRoute: () => template, ...PARTS.valueMap }),
  createRoute({ getParentRoute: () => template, ...PARTS.graphs }),
  createRoute({ getParentRoute: () => template, ...PARTS.graph }),
  createRoute({ getParentRoute: () => template, ...PARTS.graphPrototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.scenarios }),
  createRoute({ getParentRoute: () => template, ...PARTS.scenario }),
] as const;

export const hostRoutes = [
  hosts,
  hostNew,
  start,
  host.addChildren([
    hostIndex,
    hostOverview,
    hostGraphs,
    hostDashboards,
    hostLatest,
    hostProblems,
    ...hostParts,
    hostInventory,
    hostInventoryEdit,
    hostSettings,
  ]),
] as const;

export const templateRoutes = [
  templates,
  templateNew,
  template.addChildren([
    templateIndex,
    ...templateParts,
    templateDashboards,
    templateDashboard,
    templateSettings,
  ]),
] as const;
