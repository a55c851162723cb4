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
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Templates with their macros and tags. */
    readonly templates: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Links between templates. */
    readonly templateLinkage: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Value maps. */
    readonly valueMaps: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Items. */
    readonly items: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Discovery rules with their prototypes. */
    readonly discoveryRules: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Triggers. */
    readonly triggers: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Graphs; prototypes go by the rule of discovery rules. */
    readonly graphs: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Host groups. */
    readonly host_groups: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Hosts with their interfaces, macros, tags and inventory. */
    readonly hosts: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Web scenarios. */
    readonly httptests: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Images. */
    readonly images: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Maps; new ones belong to who imports them. */
    readonly maps: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Media types; passwords and tokens stay as they are where the file has none. */
    readonly mediaTypes: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Dashboards of templates. */
    readonly templateDashboards: {
      /** Make what is not there. */
      readonly createMissing: boolean;
      /** Update what is there. */
      readonly updateExisting: boolean;
      /** Delete what templates have and the file does not. */
      readonly deleteMissing: boolean;
    } | readonly [];
  } | readonly [];
}
