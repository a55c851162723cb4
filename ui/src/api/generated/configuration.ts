// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

/** Templates in Zabbix's export format, 7.0 to 7.4; the answer of an import is `true`. */
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
    /** If set, a file that has them is refused as long as there are no such objects. */
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
    /** If set, a file that has them is refused as long as there are no such objects. */
    readonly images: {
      /** Make what is not there. Default: 0. */
      readonly createMissing: string;
      /** Update what is there. Default: 0. */
      readonly updateExisting: string;
    } | readonly [];
    /** If set, a file that has them is refused as long as there are no such objects. */
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
