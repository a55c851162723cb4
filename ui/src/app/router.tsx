// Every address of the UI. Pages load when they are first opened; the overview is part of the first load's
// budget. Features do not know each other: pages of a host are put together here.

import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { FailedState, LoadingState } from "@/ui/states";
import { GRAPH_VIEW_SEARCH } from "@/widgets/graph/view";
import { hostRoutes, templateRoutes } from "./holder-tree";
import { login, root, shell } from "./root-tree";
import { parseSearch, pickSearch, stringifySearch } from "./search";
import { BOARD_SEARCH, LATEST_SEARCH, PROBLEM_SEARCH } from "./searches";

const overview = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/overview/overview-page"), "OverviewPage"),
});

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
  validateSearch: (search) => pickSearch(search, ["items", "join", ...GRAPH_VIEW_SEARCH]),
  component: lazyRouteComponent(() => import("./latest-routes"), "LatestGraphRoute"),
});

const latestHistory = createRoute({
  getParentRoute: () => shell,
  path: "/latest/history",
  validateSearch: (search) => pickSearch(search, ["items", "from", "to", "q"]),
  component: lazyRouteComponent(() => import("./latest-routes"), "HistoryRoute"),
});

const graphs = createRoute({
  getParentRoute: () => shell,
  path: "/graphs",
  validateSearch: (search) =>
    pickSearch(search, ["q", "hosts", "groups", "show", ...GRAPH_VIEW_SEARCH]),
  component: lazyRouteComponent(() => import("./graph-routes"), "GraphsRoute"),
});

const graph = createRoute({
  getParentRoute: () => shell,
  path: "/graphs/$graphid",
  validateSearch: (search) => pickSearch(search, GRAPH_VIEW_SEARCH),
  component: lazyRouteComponent(() => import("./graph-routes"), "GraphRoute"),
});

// ---- dashboards

const dashboardRoutes = () => import("./dashboard-routes");

const dashboards = createRoute({
  getParentRoute: () => shell,
  path: "/dashboards",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(dashboardRoutes, "DashboardsRoute"),
});

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: "/dashboards/$dashboardid",
  validateSearch: (search) => pickSearch(search, BOARD_SEARCH),
  component: lazyRouteComponent(dashboardRoutes, "DashboardRoute"),
});

const dashboardEdit = createRoute({
  getParentRoute: () => shell,
  path: "/dashboards/$dashboardid/edit",
  validateSearch: (search) => pickSearch(search, ["copy", "page"]),
  component: lazyRouteComponent(dashboardRoutes, "DashboardEditRoute"),
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

const maps = createRoute({
  getParentRoute: () => shell,
  path: "/maps",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./map-routes"), "MapsRoute"),
});

const map = createRoute({
  getParentRoute: () => shell,
  path: "/maps/$sysmapid",
  validateSearch: (search) => pickSearch(search, ["sev"]),
  component: lazyRouteComponent(() => import("./map-routes"), "MapRoute"),
});

const mapEdit = createRoute({
  getParentRoute: () => shell,
  path: "/maps/$sysmapid/edit",
  component: lazyRouteComponent(() => import("./map-routes"), "MapEditorRoute"),
});

// ---- administration

const images = createRoute({
  getParentRoute: () => shell,
  path: "/images",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./map-routes"), "ImagesRoute"),
});

const iconMaps = createRoute({
  getParentRoute: () => shell,
  path: "/iconmaps",
  validateSearch: (search) => pickSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./map-routes"), "IconMapsRoute"),
});

const iconMap = createRoute({
  getParentRoute: () => shell,
  path: "/iconmaps/$iconmapid",
  component: lazyRouteComponent(() => import("./map-routes"), "IconMapRoute"),
});

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

const system = createRoute({
  getParentRoute: () => shell,
  path: "/system",
  component: lazyRouteComponent(() => import("./system-routes"), "SystemRoute"),
});

const macros = createRoute({
  getParentRoute: () => shell,
  path: "/macros",
  component: lazyRouteComponent(() => import("./system-routes"), "MacrosRoute"),
});

const about = createRoute({
  getParentRoute: () => shell,
  path: "/about",
  component: lazyRouteComponent(() => import("./system-routes"), "AboutRoute"),
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
  validateSearch: (search) => pickSearch(search, ["q", "user", "action", "type", "within"]),
  component: lazyRouteComponent(() => import("./user-routes"), "AuditRoute"),
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: "/profile",
  component: lazyRouteComponent(() => import("./user-routes"), "ProfileRoute"),
});

// ---- documentation

const docs = createRoute({
  getParentRoute: () => shell,
  path: "/docs",
  component: lazyRouteComponent(() => import("./docs-routes"), "GuideRoute"),
});

const docsPage = createRoute({
  getParentRoute: () => shell,
  path: "/docs/$page",
  component: lazyRouteComponent(() => import("./docs-routes"), "GuideRoute"),
});

const reference = createRoute({
  getParentRoute: () => shell,
  path: "/docs/api",
  component: lazyRouteComponent(() => import("./reference-routes"), "ReferenceRoute"),
});

const referenceObject = createRoute({
  getParentRoute: () => shell,
  path: "/docs/api/$object",
  component: lazyRouteComponent(() => import("./reference-routes"), "ReferenceRoute"),
});

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
    latestHistory,
    graphs,
    graph,
    dashboards,
    dashboard,
    dashboardEdit,
    ...hostRoutes,
    ...templateRoutes,
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
    maps,
    map,
    mapEdit,
    images,
    iconMaps,
    iconMap,
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
    system,
    macros,
    about,
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
    docs,
    docsPage,
    reference,
    referenceObject,
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
