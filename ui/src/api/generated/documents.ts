// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { ValueMapping, ValueMappingCreate } from "./parts";
import type { User } from "./user";

/** Which icon stands for a host, by its inventory. */
export interface IconMap {
  /** Id. */
  readonly iconmapid: string;
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string;
}

/** What `select…` parameters add. */
export interface IconMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string;
  }[];
}

/** Parameters of `iconmap.get`. */
export interface IconMapGet extends GetParams<keyof IconMap> {
  readonly selectMappings?: Output<string> | undefined;
}

/** Parameters of `iconmap.create`. */
export interface IconMapCreate {
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string | number;
  /** The first that matches counts. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string | number;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string | number;
  }[];
}

/** Parameters of `iconmap.update`: what is left out stays. */
export type IconMapUpdate = Partial<IconMapCreate> & { readonly iconmapid: string };

/** An icon or a background of maps. */
export interface Image {
  /** Id. */
  readonly imageid: string;
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** What `select…` parameters add. */
export interface ImageSelects {
  /** `select_image`. */
  readonly image: string;
}

/** Parameters of `image.get`. */
export interface ImageGet extends GetParams<keyof Image> {
  readonly select_image?: boolean | undefined;
}

/** Parameters of `image.create`. */
export interface ImageCreate {
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string | number;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** Parameters of `image.update`: what is left out stays. */
export type ImageUpdate = Partial<Omit<ImageCreate, "imagetype">> & { readonly imageid: string };

/** A global regular expression: conditions on a text under one name. */
export interface Regexp {
  /** Id. */
  readonly regexpid: string;
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string: string;
}

/** What `select…` parameters add. */
export interface RegexpSelects {
  /** `selectExpressions`. */
  readonly expressions: readonly {
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string;
    /** Between the texts of type 1: comma, dot or slash. Default: ,. */
    readonly exp_delimiter: string;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive: string;
  }[];
}

/** Parameters of `regexp.get`. */
export interface RegexpGet extends GetParams<keyof Regexp> {
  readonly selectExpressions?: Output<string> | undefined;
}

/** Parameters of `regexp.create`. */
export interface RegexpCreate {
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string?: string | undefined;
  /** All have to hold. */
  readonly expressions: readonly {
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string | number;
    /** Between the texts of type 1: comma, dot or slash. Default: ,. */
    readonly exp_delimiter?: string | undefined;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive?: string | number | undefined;
  }[];
}

/** Parameters of `regexp.update`: what is left out stays. */
export type RegexpUpdate = Partial<RegexpCreate> & { readonly regexpid: string };

/** What kind of user someone is. */
export interface Role {
  /** Id. */
  readonly roleid: string;
  /** Name. */
  readonly name: string;
  /** 1 user, 2 admin, 3 super admin. */
  readonly type: string;
  /** 1: the role cannot be changed. */
  readonly readonly: string;
}

/** What `select…` parameters add. */
export interface RoleSelects {
  /** `selectRules`. */
  readonly rules: {
    /** Whether users may call the API. Default: 1. */
    readonly "api.access": string;
    /** Only 0 yet. Default: 0. */
    readonly "api.mode": string;
    /** Only 1 yet. Default: 1. */
    readonly "ui.default_access": string;
    /** Only 1 yet. Default: 1. */
    readonly "services.read.mode": string;
    /** Has no effect. Default: 0. */
    readonly "services.write.mode": string;
    /** Only 1 yet. Default: 1. */
    readonly "modules.default_access": string;
    /** Only 1 yet. Default: 1. */
    readonly "actions.default_access": string;
  } | readonly [];
  /** `selectUsers`; its number, as a text, with "count". */
  readonly users: readonly User[] | string;
}

/** Parameters of `role.get`. */
export interface RoleGet extends GetParams<keyof Role> {
  readonly selectRules?: Output<string> | undefined;
  readonly selectUsers?: Output<keyof User> | "count" | undefined;
}

/** Parameters of `role.create`. */
export interface RoleCreate {
  /** Name. */
  readonly name: string;
  /** 1 user, 2 admin, 3 super admin. */
  readonly type: string | number;
  /** What users of the role may do. */
  readonly rules?: {
    /** Whether users may call the API. Default: 1. */
    readonly "api.access"?: string | number | undefined;
    /** Only 0 yet. Default: 0. */
    readonly "api.mode"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "ui.default_access"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "services.read.mode"?: string | number | undefined;
    /** Has no effect. Default: 0. */
    readonly "services.write.mode"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "modules.default_access"?: string | number | undefined;
    /** Only 1 yet. Default: 1. */
    readonly "actions.default_access"?: string | number | undefined;
  } | undefined;
}

/** Parameters of `role.update`: what is left out stays. */
export type RoleUpdate = Partial<RoleCreate> & { readonly roleid: string };

/** Names for values. */
export interface ValueMap {
  /** Id. */
  readonly valuemapid: string;
  /** Identity in exports. */
  readonly uuid: string;
  /** Name. */
  readonly name: string;
  /** Host or template. Not changed later. */
  readonly hostid: string;
}

/** What `select…` parameters add. */
export interface ValueMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly ValueMapping[];
}

/** Parameters of `valuemap.get`. */
export interface ValueMapGet extends GetParams<keyof ValueMap> {
  readonly selectMappings?: Output<keyof ValueMapping> | undefined;
}

/** Parameters of `valuemap.create`. */
export interface ValueMapCreate {
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** Name. */
  readonly name: string;
  /** Host or template. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** The first that fits counts. */
  readonly mappings: readonly ValueMappingCreate[];
}

/** Parameters of `valuemap.update`: what is left out stays. */
export type ValueMapUpdate = Partial<Omit<ValueMapCreate, "hostid">> & { readonly valuemapid: string };

/** Their methods. */
export interface DocumentMethods {
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
