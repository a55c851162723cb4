// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Action, ActionCreate, ActionGet, ActionSelects, ActionUpdate } from "./action";
import type { Authentication, AuthenticationGet, AuthenticationUpdate } from "./authentication";
import type {
  Autoregistration,
  AutoregistrationGet,
  AutoregistrationUpdate,
} from "./autoregistration";
import type {
  Connector,
  ConnectorCreate,
  ConnectorGet,
  ConnectorSelects,
  ConnectorUpdate,
} from "./connector";
import type {
  Correlation,
  CorrelationCreate,
  CorrelationGet,
  CorrelationSelects,
  CorrelationUpdate,
} from "./correlation";
import type {
  Dashboard,
  DashboardCreate,
  DashboardGet,
  DashboardSelects,
  DashboardUpdate,
} from "./dashboard";
import type { Housekeeping, HousekeepingGet, HousekeepingUpdate } from "./housekeeping";
import type {
  IconMap,
  IconMapCreate,
  IconMapGet,
  IconMapSelects,
  IconMapUpdate,
} from "./icon-map";
import type { Image, ImageCreate, ImageGet, ImageSelects, ImageUpdate } from "./image";
import type {
  Maintenance,
  MaintenanceCreate,
  MaintenanceGet,
  MaintenanceSelects,
  MaintenanceUpdate,
} from "./maintenance";
import type {
  MediaType,
  MediaTypeCreate,
  MediaTypeGet,
  MediaTypeSelects,
  MediaTypeUpdate,
} from "./media-type";
import type {
  NetworkDiscoveryRule,
  NetworkDiscoveryRuleCreate,
  NetworkDiscoveryRuleGet,
  NetworkDiscoveryRuleSelects,
  NetworkDiscoveryRuleUpdate,
} from "./network-discovery-rule";
import type {
  NetworkMap,
  NetworkMapCreate,
  NetworkMapGet,
  NetworkMapSelects,
  NetworkMapUpdate,
} from "./network-map";
import type {
  OncallSchedule,
  OncallScheduleCreate,
  OncallScheduleGet,
  OncallScheduleSelects,
  OncallScheduleUpdate,
} from "./oncall-schedule";
import type { Regexp, RegexpCreate, RegexpGet, RegexpSelects, RegexpUpdate } from "./regexp";
import type { Role, RoleCreate, RoleGet, RoleSelects, RoleUpdate } from "./role";
import type { Script, ScriptCreate, ScriptGet, ScriptSelects, ScriptUpdate } from "./script";
import type { Service, ServiceCreate, ServiceGet, ServiceSelects, ServiceUpdate } from "./service";
import type { Settings, SettingsGet, SettingsUpdate } from "./settings";
import type { Sla, SlaCreate, SlaGet, SlaSelects, SlaUpdate } from "./sla";
import type {
  TemplateDashboard,
  TemplateDashboardCreate,
  TemplateDashboardGet,
  TemplateDashboardSelects,
  TemplateDashboardUpdate,
} from "./template-dashboard";
import type {
  ValueMap,
  ValueMapCreate,
  ValueMapGet,
  ValueMapSelects,
  ValueMapUpdate,
} from "./value-map";

/** Methods of objects by their descriptions. */
export interface DocumentMethods {
  readonly "action.get": {
    readonly params: ActionGet;
    readonly result: readonly (Partial<Action> & Partial<ActionSelects>)[];
  };
  readonly "action.create": {
    readonly params: ActionCreate | readonly ActionCreate[];
    readonly result: { readonly actionids: readonly string[] };
  };
  readonly "action.update": {
    readonly params: ActionUpdate | readonly ActionUpdate[];
    readonly result: { readonly actionids: readonly string[] };
  };
  readonly "action.delete": {
    readonly params: readonly string[];
    readonly result: { readonly actionids: readonly string[] };
  };
  readonly "authentication.get": {
    readonly params: AuthenticationGet;
    readonly result: Partial<Authentication>;
  };
  readonly "authentication.update": {
    readonly params: AuthenticationUpdate;
    readonly result: readonly string[];
  };
  readonly "autoregistration.get": {
    readonly params: AutoregistrationGet;
    readonly result: Partial<Autoregistration>;
  };
  readonly "autoregistration.update": {
    readonly params: AutoregistrationUpdate;
    readonly result: true;
  };
  readonly "connector.get": {
    readonly params: ConnectorGet;
    readonly result: readonly (Partial<Connector> & Partial<ConnectorSelects>)[];
  };
  readonly "connector.create": {
    readonly params: ConnectorCreate | readonly ConnectorCreate[];
    readonly result: { readonly connectorids: readonly string[] };
  };
  readonly "connector.update": {
    readonly params: ConnectorUpdate | readonly ConnectorUpdate[];
    readonly result: { readonly connectorids: readonly string[] };
  };
  readonly "connector.delete": {
    readonly params: readonly string[];
    readonly result: { readonly connectorids: readonly string[] };
  };
  readonly "correlation.get": {
    readonly params: CorrelationGet;
    readonly result: readonly (Partial<Correlation> & Partial<CorrelationSelects>)[];
  };
  readonly "correlation.create": {
    readonly params: CorrelationCreate | readonly CorrelationCreate[];
    readonly result: { readonly correlationids: readonly string[] };
  };
  readonly "correlation.update": {
    readonly params: CorrelationUpdate | readonly CorrelationUpdate[];
    readonly result: { readonly correlationids: readonly string[] };
  };
  readonly "correlation.delete": {
    readonly params: readonly string[];
    readonly result: { readonly correlationids: readonly string[] };
  };
  readonly "dashboard.get": {
    readonly params: DashboardGet;
    readonly result: readonly (Partial<Dashboard> & Partial<DashboardSelects>)[];
  };
  readonly "dashboard.create": {
    readonly params: DashboardCreate | readonly DashboardCreate[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "dashboard.update": {
    readonly params: DashboardUpdate | readonly DashboardUpdate[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "dashboard.delete": {
    readonly params: readonly string[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "templatedashboard.get": {
    readonly params: TemplateDashboardGet;
    readonly result: readonly (Partial<TemplateDashboard> & Partial<TemplateDashboardSelects>)[];
  };
  readonly "templatedashboard.create": {
    readonly params: TemplateDashboardCreate | readonly TemplateDashboardCreate[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "templatedashboard.update": {
    readonly params: TemplateDashboardUpdate | readonly TemplateDashboardUpdate[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "templatedashboard.delete": {
    readonly params: readonly string[];
    readonly result: { readonly dashboardids: readonly string[] };
  };
  readonly "drule.get": {
    readonly params: NetworkDiscoveryRuleGet;
    readonly result: readonly (Partial<NetworkDiscoveryRule> & Partial<NetworkDiscoveryRuleSelects>)[];
  };
  readonly "drule.create": {
    readonly params: NetworkDiscoveryRuleCreate | readonly NetworkDiscoveryRuleCreate[];
    readonly result: { readonly druleids: readonly string[] };
  };
  readonly "drule.update": {
    readonly params: NetworkDiscoveryRuleUpdate | readonly NetworkDiscoveryRuleUpdate[];
    readonly result: { readonly druleids: readonly string[] };
  };
  readonly "drule.delete": {
    readonly params: readonly string[];
    readonly result: { readonly druleids: readonly string[] };
  };
  readonly "housekeeping.get": {
    readonly params: HousekeepingGet;
    readonly result: Partial<Housekeeping>;
  };
  readonly "housekeeping.update": {
    readonly params: HousekeepingUpdate;
    readonly result: readonly string[];
  };
  readonly "iconmap.get": {
    readonly params: IconMapGet;
    readonly result: readonly (Partial<IconMap> & Partial<IconMapSelects>)[];
  };
  readonly "iconmap.create": {
    readonly params: IconMapCreate | readonly IconMapCreate[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "iconmap.update": {
    readonly params: IconMapUpdate | readonly IconMapUpdate[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "iconmap.delete": {
    readonly params: readonly string[];
    readonly result: { readonly iconmapids: readonly string[] };
  };
  readonly "image.get": {
    readonly params: ImageGet;
    readonly result: readonly (Partial<Image> & Partial<ImageSelects>)[];
  };
  readonly "image.create": {
    readonly params: ImageCreate | readonly ImageCreate[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "image.update": {
    readonly params: ImageUpdate | readonly ImageUpdate[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "image.delete": {
    readonly params: readonly string[];
    readonly result: { readonly imageids: readonly string[] };
  };
  readonly "maintenance.get": {
    readonly params: MaintenanceGet;
    readonly result: readonly (Partial<Maintenance> & Partial<MaintenanceSelects>)[];
  };
  readonly "maintenance.create": {
    readonly params: MaintenanceCreate | readonly MaintenanceCreate[];
    readonly result: { readonly maintenanceids: readonly string[] };
  };
  readonly "maintenance.update": {
    readonly params: MaintenanceUpdate | readonly MaintenanceUpdate[];
    readonly result: { readonly maintenanceids: readonly string[] };
  };
  readonly "maintenance.delete": {
    readonly params: readonly string[];
    readonly result: { readonly maintenanceids: readonly string[] };
  };
  readonly "map.get": {
    readonly params: NetworkMapGet;
    readonly result: readonly (Partial<NetworkMap> & Partial<NetworkMapSelects>)[];
  };
  readonly "map.create": {
    readonly params: NetworkMapCreate | readonly NetworkMapCreate[];
    readonly result: { readonly sysmapids: readonly string[] };
  };
  readonly "map.update": {
    readonly params: NetworkMapUpdate | readonly NetworkMapUpdate[];
    readonly result: { readonly sysmapids: readonly string[] };
  };
  readonly "map.delete": {
    readonly params: readonly string[];
    readonly result: { readonly sysmapids: readonly string[] };
  };
  readonly "mediatype.get": {
    readonly params: MediaTypeGet;
    readonly result: readonly (Partial<MediaType> & Partial<MediaTypeSelects>)[];
  };
  readonly "mediatype.create": {
    readonly params: MediaTypeCreate | readonly MediaTypeCreate[];
    readonly result: { readonly mediatypeids: readonly string[] };
  };
  readonly "mediatype.update": {
    readonly params: MediaTypeUpdate | readonly MediaTypeUpdate[];
    readonly result: { readonly mediatypeids: readonly string[] };
  };
  readonly "mediatype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly mediatypeids: readonly string[] };
  };
  readonly "oncall.get": {
    readonly params: OncallScheduleGet;
    readonly result: readonly (Partial<OncallSchedule> & Partial<OncallScheduleSelects>)[];
  };
  readonly "oncall.create": {
    readonly params: OncallScheduleCreate | readonly OncallScheduleCreate[];
    readonly result: { readonly oncallids: readonly string[] };
  };
  readonly "oncall.update": {
    readonly params: OncallScheduleUpdate | readonly OncallScheduleUpdate[];
    readonly result: { readonly oncallids: readonly string[] };
  };
  readonly "oncall.delete": {
    readonly params: readonly string[];
    readonly result: { readonly oncallids: readonly string[] };
  };
  readonly "oncall.whois": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "regexp.get": {
    readonly params: RegexpGet;
    readonly result: readonly (Partial<Regexp> & Partial<RegexpSelects>)[];
  };
  readonly "regexp.create": {
    readonly params: RegexpCreate | readonly RegexpCreate[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "regexp.update": {
    readonly params: RegexpUpdate | readonly RegexpUpdate[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "regexp.delete": {
    readonly params: readonly string[];
    readonly result: { readonly regexpids: readonly string[] };
  };
  readonly "role.get": {
    readonly params: RoleGet;
    readonly result: readonly (Partial<Role> & Partial<RoleSelects>)[];
  };
  readonly "role.create": {
    readonly params: RoleCreate | readonly RoleCreate[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "role.update": {
    readonly params: RoleUpdate | readonly RoleUpdate[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "role.delete": {
    readonly params: readonly string[];
    readonly result: { readonly roleids: readonly string[] };
  };
  readonly "script.get": {
    readonly params: ScriptGet;
    readonly result: readonly (Partial<Script> & Partial<ScriptSelects>)[];
  };
  readonly "script.create": {
    readonly params: ScriptCreate | readonly ScriptCreate[];
    readonly result: { readonly scriptids: readonly string[] };
  };
  readonly "script.update": {
    readonly params: ScriptUpdate | readonly ScriptUpdate[];
    readonly result: { readonly scriptids: readonly string[] };
  };
  readonly "script.delete": {
    readonly params: readonly string[];
    readonly result: { readonly scriptids: readonly string[] };
  };
  readonly "script.execute": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "script.getscriptsbyhosts": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "script.getscriptsbyevents": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "service.get": {
    readonly params: ServiceGet;
    readonly result: readonly (Partial<Service> & Partial<ServiceSelects>)[];
  };
  readonly "service.create": {
    readonly params: ServiceCreate | readonly ServiceCreate[];
    readonly result: { readonly serviceids: readonly string[] };
  };
  readonly "service.update": {
    readonly params: ServiceUpdate | readonly ServiceUpdate[];
    readonly result: { readonly serviceids: readonly string[] };
  };
  readonly "service.delete": {
    readonly params: readonly string[];
    readonly result: { readonly serviceids: readonly string[] };
  };
  readonly "settings.get": {
    readonly params: SettingsGet;
    readonly result: Partial<Settings>;
  };
  readonly "settings.update": {
    readonly params: SettingsUpdate;
    readonly result: readonly string[];
  };
  readonly "sla.get": {
    readonly params: SlaGet;
    readonly result: readonly (Partial<Sla> & Partial<SlaSelects>)[];
  };
  readonly "sla.create": {
    readonly params: SlaCreate | readonly SlaCreate[];
    readonly result: { readonly slaids: readonly string[] };
  };
  readonly "sla.update": {
    readonly params: SlaUpdate | readonly SlaUpdate[];
    readonly result: { readonly slaids: readonly string[] };
  };
  readonly "sla.delete": {
    readonly params: readonly string[];
    readonly result: { readonly slaids: readonly string[] };
  };
  readonly "sla.getsli": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "valuemap.get": {
    readonly params: ValueMapGet;
    readonly result: readonly (Partial<ValueMap> & Partial<ValueMapSelects>)[];
  };
  readonly "valuemap.create": {
    readonly params: ValueMapCreate | readonly ValueMapCreate[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
  readonly "valuemap.update": {
    readonly params: ValueMapUpdate | readonly ValueMapUpdate[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
  readonly "valuemap.delete": {
    readonly params: readonly string[];
    readonly result: { readonly valuemapids: readonly string[] };
  };
}
