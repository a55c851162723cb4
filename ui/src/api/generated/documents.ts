// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type {
  Connector,
  ConnectorCreate,
  ConnectorGet,
  ConnectorSelects,
  ConnectorUpdate,
} from "./connector";
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
import type { Regexp, RegexpCreate, RegexpGet, RegexpSelects, RegexpUpdate } from "./regexp";
import type { Role, RoleCreate, RoleGet, RoleSelects, RoleUpdate } from "./role";
import type { Settings, SettingsGet, SettingsUpdate } from "./settings";
import type {
  ValueMap,
  ValueMapCreate,
  ValueMapGet,
  ValueMapSelects,
  ValueMapUpdate,
} from "./value-map";

/** Methods of objects that are made of their descriptions. */
export interface DocumentMethods {
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
  readonly "settings.get": {
    readonly params: SettingsGet;
    readonly result: Partial<Settings>;
  };
  readonly "settings.update": {
    readonly params: SettingsUpdate;
    readonly result: readonly string[];
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
