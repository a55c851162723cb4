// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** Configuration in Zabbix's export format: 6.0 to 7.4 is read, 7.0 is written. The fields are those of import, which answers `true`, and of importcompare, which returns the changes that an import would make; export takes `options` with lists of ids (`host_groups`, `template_groups`, `hosts`, `templates`, `mediaTypes`, `images`, `maps`), `format` and `prettyprint`. Maps include their images. */
export interface Configuration {
  /** `yaml`, `json` or `xml`. */
  readonly format: string;
  /** The export. */
  readonly source: string;
  /** What the import may do. */
  readonly rules: {
    /** Template groups. */
    readonly template_groups: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Templates with their macros and tags. */
    readonly templates: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Links between templates. */
    readonly templateLinkage: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Value maps. */
    readonly valueMaps: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Items. */
    readonly items: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Discovery rules with their prototypes. */
    readonly discoveryRules: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Triggers. */
    readonly triggers: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Graphs; for prototypes the rule of discovery rules applies. */
    readonly graphs: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Host groups. */
    readonly host_groups: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Hosts with their interfaces, macros, tags and inventory. */
    readonly hosts: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Web scenarios. */
    readonly httptests: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
    /** Images. */
    readonly images: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Maps; new ones belong to who imports them. */
    readonly maps: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Media types; passwords and tokens are kept if the file has none. */
    readonly mediaTypes: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
    } | readonly [];
    /** Dashboards of templates. */
    readonly templateDashboards: {
      /** Create missing objects. */
      readonly createMissing: boolean;
      /** Update existing objects. */
      readonly updateExisting: boolean;
      /** Delete objects of templates that are missing in the file. */
      readonly deleteMissing: boolean;
    } | readonly [];
  } | readonly [];
}
