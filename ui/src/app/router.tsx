// Every address of the UI. Pages load when they are first opened; the overview is part of the first load's
// budget. Features do not know each other: pages of a host are put together here.

import { Notifications } from "@mantine/notifications";
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { FailedState, LoadingState } from "@/ui/states";
import { LoginRoute } from "./login-route";
import { parseSearch, pickSearch, stringifySearch } from "./search";
import { type RouterContext, sessionQuery } from "./session";
import { Shell } from "./shell";

function Root() {
  return (
    <>
      <Outlet />
      {/* within the router: what they say may lead somewhere */}
      <Notifications position="bottom-right" limit={4} />
    </>
  );
}

const root = createRootRouteWithContext<RouterContext>()({ component: Root });

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search) => pickSearch(search, ["to", "lost"]),
  component: LoginRoute,
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const user = await context.queryClient.ensureQueryData(sessionQuery);
    if (user === null) throw redirect({ to: "/login", search: { to: location.href } });
    return { user };
  },
  component: Shell,
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/overview/overview-page"), "OverviewPage"),
});

const PROBLEM_SEARCH = [
  "sev",
  "q",
  "status",
  "ack",
  "suppressed",
  "hosts",
  "tags",
  "age",
  "sort",
  "timeline",
  "event",
] as const;
const HOSTS_SEARCH = [
  "q",
  "groups",
  "templates",
  "tags",
  "status",
  "availability",
  "sort",
] as const;
const LATEST_SEARCH = ["q", "hosts", "groups", "show", "item"] as const;

const problems = createRoute({
  getParentRoute: () => shell,
  path: "/problems",
  validateSearch: (search) => pickSearch(search, PROBLEM_SEARCH),
  component: lazyRouteComponent(() => import("./problem-routes"), "ProblemsRoute"),
});

const event = createRoute({
  getParentRoute: () => shell,
  path: "/events/$eventid",
  component: lazyRouteComponent(() => import("./event-routes"), "EventRoute"),
});

const latest = createRoute({
  getParentRoute: () => shell,
  path: "/latest",
  validateSearch: (search) => pickSearch(search, LATEST_SEARCH),
  component: lazyRouteComponent(() => import("./latest-routes"), "LatestRoute"),
});

const latestGraph = createRoute({
  getParentRoute: () => shell,
  path: "/latest/graph",
  validateSearch: (search) => pickSearch(search, ["items", "from", "to"]),
  component: lazyRouteComponent(() => import("./latest-routes"), "LatestGraphRoute"),
});

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

const host = createRoute({
  getParentRoute: () => shell,
  path: "/hosts/$hostid",
  component: lazyRouteComponent(() => import("./host-routes"), "HostLayout"),
});

const hostIndex = createRoute({
  getParentRoute: () => host,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/hosts/$hostid/graphs", params, replace: true });
  },
});

const hostGraphs = createRoute({
  getParentRoute: () => host,
  path: "graphs",
  validateSearch: (search) => pickSearch(search, ["from", "to", "q"]),
  component: lazyRouteComponent(() => import("./host-routes"), "HostGraphsRoute"),
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

// ---- services

const services = createRoute({
  getParentRoute: () => shell,
  path: "/services",
  validateSearch: (search) => pickSearch(search, ["q", "show"]),
  component: lazyRouteComponent(() => import("./service-routes"), "ServicesRoute"),
});

const service = createRoute({
  getParentRoute: () => shell,
  path: "/services/$serviceid",
  validateSearch: (search) => pickSearch(search, ["parent"]),
  component: lazyRouteComponent(() => import("./service-routes"), "ServiceRoute"),
});

const maintenances = createRoute({
  getParentRoute: () => shell,
  path: "/maintenance",
  validateSearch: (search) => pickSearch(search, ["q", "state"]),
  component: lazyRouteComponent(() => import("./maintenance-routes"), "MaintenancesRoute"),
});

const maintenance = createRoute({
  getParentRoute: () => shell,
  path: "/maintenance/$maintenanceid",
  component: lazyRouteComponent(() => import("./maintenance-routes"), "MaintenanceRoute"),
});

const schedules = createRoute({
  getParentRoute: () => shell,
  path: "/oncall",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./oncall-routes"), "SchedulesRoute"),
});

const schedule = createRoute({
  getParentRoute: () => shell,
  path: "/oncall/$oncallid",
  validateSearch: (search) => pickSearch(search, ["view", "zone", "at"]),
  component: lazyRouteComponent(() => import("./oncall-routes"), "ScheduleRoute"),
});

const scheduleEdit = createRoute({
  getParentRoute: () => shell,
  path: "/oncall/$oncallid/edit",
  component: lazyRouteComponent(() => import("./oncall-routes"), "ScheduleEditRoute"),
});

const slas = createRoute({
  getParentRoute: () => shell,
  path: "/sla",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./service-routes"), "SlasRoute"),
});

const sla = createRoute({
  getParentRoute: () => shell,
  path: "/sla/$slaid",
  component: lazyRouteComponent(() => import("./service-routes"), "SlaRoute"),
});

const slaReport = createRoute({
  getParentRoute: () => shell,
  path: "/sla/$slaid/report",
  component: lazyRouteComponent(() => import("./service-routes"), "SlaReportRoute"),
});

// ---- administration

const web = createRoute({
  getParentRoute: () => shell,
  path: "/web",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./latest-routes"), "WebRoute"),
});

const regexps = createRoute({
  getParentRoute: () => shell,
  path: "/regexps",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./regexp-routes"), "RegexpsRoute"),
});

const regexp = createRoute({
  getParentRoute: () => shell,
  path: "/regexps/$regexpid",
  component: lazyRouteComponent(() => import("./regexp-routes"), "RegexpRoute"),
});

const mediaTypes = createRoute({
  getParentRoute: () => shell,
  path: "/mediatypes",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./media-routes"), "MediaTypesRoute"),
});

const mediaType = createRoute({
  getParentRoute: () => shell,
  path: "/mediatypes/$mediatypeid",
  component: lazyRouteComponent(() => import("./media-routes"), "MediaTypeRoute"),
});

const media = createRoute({
  getParentRoute: () => shell,
  path: "/media",
  component: lazyRouteComponent(() => import("./media-routes"), "MediaRoute"),
});

const actions = createRoute({
  getParentRoute: () => shell,
  path: "/actions",
  validateSearch: (search) => pickSearch(search, ["q", "source"]),
  component: lazyRouteComponent(() => import("./action-routes"), "ActionsRoute"),
});

const action = createRoute({
  getParentRoute: () => shell,
  path: "/actions/$actionid",
  validateSearch: (search) => pickSearch(search, ["source"]),
  component: lazyRouteComponent(() => import("./action-routes"), "ActionRoute"),
});

const correlations = createRoute({
  getParentRoute: () => shell,
  path: "/correlation",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./correlation-routes"), "CorrelationsRoute"),
});

const correlation = createRoute({
  getParentRoute: () => shell,
  path: "/correlation/$correlationid",
  component: lazyRouteComponent(() => import("./correlation-routes"), "CorrelationRoute"),
});

const networkRules = createRoute({
  getParentRoute: () => shell,
  path: "/network-discovery",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./network-discovery-routes"), "NetworkRulesRoute"),
});

const networkRule = createRoute({
  getParentRoute: () => shell,
  path: "/network-discovery/$druleid",
  component: lazyRouteComponent(() => import("./network-discovery-routes"), "NetworkRuleRoute"),
});

const discovered = createRoute({
  getParentRoute: () => shell,
  path: "/discovered",
  validateSearch: (search) => pickSearch(search, ["q", "rule", "status"]),
  component: lazyRouteComponent(() => import("./network-discovery-routes"), "DiscoveredRoute"),
});

const scripts = createRoute({
  getParentRoute: () => shell,
  path: "/scripts",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./script-routes"), "ScriptsRoute"),
});

const script = createRoute({
  getParentRoute: () => shell,
  path: "/scripts/$scriptid",
  component: lazyRouteComponent(() => import("./script-routes"), "ScriptRoute"),
});

const alerts = createRoute({
  getParentRoute: () => shell,
  path: "/alerts",
  validateSearch: (search) => pickSearch(search, ["digest"]),
  component: lazyRouteComponent(() => import("./media-routes"), "AlertsRoute"),
});

const connectors = createRoute({
  getParentRoute: () => shell,
  path: "/connectors",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./connector-routes"), "ConnectorsRoute"),
});

const connector = createRoute({
  getParentRoute: () => shell,
  path: "/connectors/$connectorid",
  component: lazyRouteComponent(() => import("./connector-routes"), "ConnectorRoute"),
});

const housekeeping = createRoute({
  getParentRoute: () => shell,
  path: "/housekeeping",
  component: lazyRouteComponent(() => import("./settings-routes"), "HousekeepingRoute"),
});

const generalSettings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-routes"), "GeneralSettingsRoute"),
});

const queue = createRoute({
  getParentRoute: () => shell,
  path: "/queue",
  component: lazyRouteComponent(() => import("./settings-routes"), "QueueRoute"),
});

const storage = createRoute({
  getParentRoute: () => shell,
  path: "/storage",
  component: lazyRouteComponent(() => import("./settings-routes"), "StorageRoute"),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./user-routes"), "UsersRoute"),
});

const user = createRoute({
  getParentRoute: () => shell,
  path: "/users/$userid",
  component: lazyRouteComponent(() => import("./user-routes"), "UserRoute"),
});

const userGroups = createRoute({
  getParentRoute: () => shell,
  path: "/usergroups",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./user-routes"), "UserGroupsRoute"),
});

const userGroup = createRoute({
  getParentRoute: () => shell,
  path: "/usergroups/$usrgrpid",
  component: lazyRouteComponent(() => import("./user-routes"), "UserGroupRoute"),
});

const roles = createRoute({
  getParentRoute: () => shell,
  path: "/roles",
  component: lazyRouteComponent(() => import("./user-routes"), "RolesRoute"),
});

const role = createRoute({
  getParentRoute: () => shell,
  path: "/roles/$roleid",
  component: lazyRouteComponent(() => import("./user-routes"), "RoleRoute"),
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./user-routes"), "TokensRoute"),
});

const token = createRoute({
  getParentRoute: () => shell,
  path: "/tokens/$tokenid",
  component: lazyRouteComponent(() => import("./user-routes"), "TokenRoute"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: (search) => pickSearch(search, ["q", "user", "action", "type"]),
  component: lazyRouteComponent(() => import("./user-routes"), "AuditRoute"),
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: "/profile",
  component: lazyRouteComponent(() => import("./user-routes"), "ProfileRoute"),
});

// ---- items, triggers and discovery rules of a host or a template

const configuration = () => import("./configuration-routes");
const list = (search: Record<string, unknown>) => pickSearch(search, ["q"]);

/** The same pages below both: `configuration-routes.tsx` tells by the address whose they are. */
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
  prototype: {
    path: "discovery/$ruleid/prototypes/$itemid",
    component: lazyRouteComponent(configuration, "PrototypeRoute"),
  },
  triggerPrototype: {
    path: "discovery/$ruleid/trigger-prototypes/$triggerid",
    component: lazyRouteComponent(configuration, "TriggerPrototypeRoute"),
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
  createRoute({ getParentRoute: () => host, ...PARTS.prototype }),
  createRoute({ getParentRoute: () => host, ...PARTS.triggerPrototype }),
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
  createRoute({ getParentRoute: () => template, ...PARTS.prototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.triggerPrototype }),
  createRoute({ getParentRoute: () => template, ...PARTS.scenarios }),
  createRoute({ getParentRoute: () => template, ...PARTS.scenario }),
] as const;

// any other address: a page within the frame, so that there is a way on
const unknown = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: () => <NotFound title={t("There is no such page.")} />,
});

const routeTree = root.addChildren([
  login,
  shell.addChildren([
    overview,
    problems,
    event,
    latest,
    latestGraph,
    hosts,
    hostNew,
    host.addChildren([
      hostIndex,
      hostGraphs,
      hostLatest,
      hostProblems,
      ...hostParts,
      hostInventory,
      hostInventoryEdit,
      hostSettings,
    ]),
    templates,
    templateNew,
    template.addChildren([templateIndex, ...templateParts, templateSettings]),
    services,
    service,
    maintenances,
    maintenance,
    schedules,
    schedule,
    scheduleEdit,
    slas,
    sla,
    slaReport,
    web,
    regexps,
    regexp,
    actions,
    action,
    correlations,
    correlation,
    networkRules,
    networkRule,
    discovered,
    scripts,
    script,
    mediaTypes,
    mediaType,
    media,
    alerts,
    connectors,
    connector,
    queue,
    storage,
    housekeeping,
    generalSettings,
    users,
    user,
    userGroups,
    userGroup,
    roles,
    role,
    tokens,
    token,
    audit,
    profile,
    unknown,
  ]),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingComponent: LoadingState,
    defaultErrorComponent: ({ error, reset }) => <FailedState error={error} onRetry={reset} />,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
