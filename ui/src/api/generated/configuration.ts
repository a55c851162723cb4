// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** Configuration in Zabbix's export format: 6.0 to 7.4 is read, 7.0 is written. The fields are those of import, which answers `true`, and of importcompare, which tells what an import would change; export takes `options` with lists of ids (`host_groups`, `template_groups`, `hosts`, `templates`, `mediaTypes`, `images`, `maps`), `format` and `prettyprint`. Maps come with the images that they show. */
export interface Configuration {
  /** `yaml`, `json` or `xml`. */
  readonly format: string;
  /** The export. */
  readonly source: string;
  /** What the import may do. */
  readonly rules: {
    /** Template groups. */
    readonly template_groups: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Templates with their macros and tags. */
    readonly templates: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Links between templates. */
    readonly templateLinkage: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Value maps. */
    readonly valueMaps: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Items. */
    readonly items: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Discovery rules with their prototypes. */
    readonly discoveryRules: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Triggers. */
    readonly triggers: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Graphs; prototypes go by the rule of discovery rules. */
    readonly graphs: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Host groups. */
    readonly host_groups: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Hosts with their interfaces, macros, tags and inventory. */
    readonly hosts: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Web scenarios. */
    readonly httptests: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
    /** Images. */
    readonly images: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Maps; new ones belong to who imports them. */
    readonly maps: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Media types; passwords and tokens stay as they are where the file has none. */
    readonly mediaTypes: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** Dashboards of templates. */
    readonly templateDashboards: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
      /** Delete what templates have and the file does not. Default: 0. */
      readonly deleteMissing: string;
    } | readonly [];
  } | readonly [];
}
