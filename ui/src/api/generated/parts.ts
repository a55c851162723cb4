// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

export interface EventAcknowledge {
  /** Id. */
  readonly acknowledgeid: string;
  /** Who. */
  readonly userid: string;
  /** Event. */
  readonly eventid: string;
  /** When. */
  readonly clock: string;
  /** Message. */
  readonly message: string;
  /** Bits of what was done. */
  readonly action: string;
  /** Before. */
  readonly old_severity: string;
  /** After. */
  readonly new_severity: string;
  /** End of the suppression. */
  readonly suppress_until: string;
  /** Always 0. */
  readonly taskid: string;
  /** Who. */
  readonly username: string;
  /** Who: first name. */
  readonly name: string;
  /** Who: last name. */
  readonly surname: string;
}

export interface GroupRight {
  /** Group. */
  readonly id: string;
  /** 0 denied, 2 read, 3 read and write. */
  readonly permission: string;
}

/** The same as a parameter. */
export interface GroupRightCreate {
  /** Group. */
  readonly id: string | number;
  /** 0 denied, 2 read, 3 read and write. */
  readonly permission: string | number;
}

export interface HostMacro {
  /** Id. */
  readonly hostmacroid: string;
  /** Host or template that it belongs to. */
  readonly hostid: string;
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** Value. */
  readonly value: string;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type: string;
  /** Description. */
  readonly description: string;
  /** 1 if discovery made it. Default: 0. */
  readonly automatic: string;
}

/** The same as a parameter. */
export interface HostMacroCreate {
  /** Id. */
  readonly hostmacroid?: string | number | undefined;
  /** Host or template that it belongs to. */
  readonly hostid?: string | number | undefined;
  /** Macro as written, with {$ and }. */
  readonly macro: string;
  /** Value. */
  readonly value?: string | undefined;
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** 1 if discovery made it. Default: 0. */
  readonly automatic?: string | number | undefined;
}

export interface HostTag {
  /** Name. */
  readonly tag: string;
  /** Value. */
  readonly value: string;
  /** 1 if discovery set it. Default: 0. */
  readonly automatic: string;
}

/** The same as a parameter. */
export interface HostTagCreate {
  /** Name. */
  readonly tag: string;
  /** Value. */
  readonly value?: string | undefined;
  /** 1 if discovery set it. Default: 0. */
  readonly automatic?: string | number | undefined;
}

export interface InterfaceOfHost {
  /** Id. */
  readonly interfaceid: string;
  /** 1: the default interface of its type. */
  readonly main: string;
  /** 1 agent, 2 SNMP, 3 IPMI, 4 JMX. */
  readonly type: string;
  /** 1: connect by IP, 0: by DNS name. */
  readonly useip: string;
  /** IP address; may hold user macros. */
  readonly ip: string;
  /** DNS name; may hold user macros. */
  readonly dns: string;
  /** Port; may be a user macro. */
  readonly port: string;
  /** How SNMP is spoken. */
  readonly details: SnmpDetails | readonly [];
}

/** The same as a parameter. */
export interface InterfaceOfHostCreate {
  /** Id. */
  readonly interfaceid?: string | number | undefined;
  /** 1: the default interface of its type. */
  readonly main: string | number;
  /** 1 agent, 2 SNMP, 3 IPMI, 4 JMX. */
  readonly type: string | number;
  /** 1: connect by IP, 0: by DNS name. */
  readonly useip: string | number;
  /** IP address; may hold user macros. */
  readonly ip?: string | undefined;
  /** DNS name; may hold user macros. */
  readonly dns?: string | undefined;
  /** Port; may be a user macro. */
  readonly port: string;
  /** How SNMP is spoken. */
  readonly details?: SnmpDetailsCreate | undefined;
}

export interface LldFilter {
  /** 0 and/or, 1 and, 2 or, 3 custom formula. */
  readonly evaltype: string;
  /** Custom formula. */
  readonly formula: string;
  /** Conditions. */
  readonly conditions: readonly {
    /** LLD macro. */
    readonly macro: string;
    /** Regular expression, or @name of a global one. */
    readonly value: string;
    /** 8 matches, 9 does not match, 12 exists, 13 does not exist. Default: 8. */
    readonly operator: string;
    /** Letter in a custom formula. */
    readonly formulaid: string;
  }[];
}

/** The same as a parameter. */
export interface LldFilterCreate {
  /** 0 and/or, 1 and, 2 or, 3 custom formula. */
  readonly evaltype: string | number;
  /** Custom formula. */
  readonly formula?: string | undefined;
  /** Conditions. */
  readonly conditions?: readonly {
    /** LLD macro. */
    readonly macro: string;
    /** Regular expression, or @name of a global one. */
    readonly value?: string | undefined;
    /** 8 matches, 9 does not match, 12 exists, 13 does not exist. Default: 8. */
    readonly operator?: string | number | undefined;
    /** Letter in a custom formula. */
    readonly formulaid?: string | undefined;
  }[] | undefined;
  /** Ignored. */
  readonly eval_formula?: string | undefined;
}

export interface LldMacroPath {
  /** LLD macro. */
  readonly lld_macro: string;
  /** JSONPath of its value in a row. */
  readonly path: string;
}

/** The same as a parameter. */
export interface LldMacroPathCreate {
  /** LLD macro. */
  readonly lld_macro: string;
  /** JSONPath of its value in a row. */
  readonly path: string;
}

export interface LldOverride {
  /** Name. */
  readonly name: string;
  /** Overrides are tried in this order. */
  readonly step: string;
  /** 1: no further one is tried for a row of this. Default: 0. */
  readonly stop: string;
  /** Which rows it concerns. */
  readonly filter: LldFilter | readonly [];
  /** What it changes. */
  readonly operations: readonly {
    /** 0 item, 1 trigger, 2 graph, 3 host prototypes. */
    readonly operationobject: string;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches, 9 does not match. Default: 0. */
    readonly operator: string;
    /** What the object's name is compared with. */
    readonly value: string;
    /** Status with which objects are made. */
    readonly opstatus: {
      /** 0 enabled, 1 disabled. */
      readonly status: string;
    } | readonly [];
    /** Whether objects are made. */
    readonly opdiscover: {
      /** 0 yes, 1 no. */
      readonly discover: string;
    } | readonly [];
    /** Update interval of items. */
    readonly opperiod: {
      /** Update interval. */
      readonly delay: string;
    } | readonly [];
    /** How long values of items are kept. */
    readonly ophistory: {
      /** Period. */
      readonly history: string;
    } | readonly [];
    /** How long trends of items are kept. */
    readonly optrends: {
      /** Period. */
      readonly trends: string;
    } | readonly [];
    /** Severity of triggers. */
    readonly opseverity: {
      /** Severity. */
      readonly severity: string;
    } | readonly [];
    /** Tags that objects get in addition. */
    readonly optag: readonly Tag[];
    /** Templates that hosts get. */
    readonly optemplate: readonly {
      /** Id. */
      readonly templateid: string;
    }[];
    /** Inventory of hosts. */
    readonly opinventory: {
      /** -1 disabled, 0 manual, 1 automatic. */
      readonly inventory_mode: string;
    } | readonly [];
  }[];
}

/** The same as a parameter. */
export interface LldOverrideCreate {
  /** Name. */
  readonly name: string;
  /** Overrides are tried in this order. */
  readonly step: string | number;
  /** 1: no further one is tried for a row of this. Default: 0. */
  readonly stop?: string | number | undefined;
  /** Which rows it concerns. */
  readonly filter?: LldFilterCreate | undefined;
  /** What it changes. */
  readonly operations?: readonly {
    /** 0 item, 1 trigger, 2 graph, 3 host prototypes. */
    readonly operationobject: string | number;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches, 9 does not match. Default: 0. */
    readonly operator?: string | number | undefined;
    /** What the object's name is compared with. */
    readonly value?: string | undefined;
    /** Status with which objects are made. */
    readonly opstatus?: {
      /** 0 enabled, 1 disabled. */
      readonly status: string | number;
    } | undefined;
    /** Whether objects are made. */
    readonly opdiscover?: {
      /** 0 yes, 1 no. */
      readonly discover: string | number;
    } | undefined;
    /** Update interval of items. */
    readonly opperiod?: {
      /** Update interval. */
      readonly delay: string;
    } | undefined;
    /** How long values of items are kept. */
    readonly ophistory?: {
      /** Period. */
      readonly history: string;
    } | undefined;
    /** How long trends of items are kept. */
    readonly optrends?: {
      /** Period. */
      readonly trends: string;
    } | undefined;
    /** Severity of triggers. */
    readonly opseverity?: {
      /** Severity. */
      readonly severity: string | number;
    } | undefined;
    /** Tags that objects get in addition. */
    readonly optag?: readonly TagCreate[] | undefined;
    /** Templates that hosts get. */
    readonly optemplate?: readonly {
      /** Id. */
      readonly templateid: string | number;
    }[] | undefined;
    /** Inventory of hosts. */
    readonly opinventory?: {
      /** -1 disabled, 0 manual, 1 automatic. */
      readonly inventory_mode: string | number;
    } | undefined;
  }[] | undefined;
}

export interface NamedValue {
  /** Name. */
  readonly name: string;
  /** Value. */
  readonly value: string;
}

/** The same as a parameter. */
export interface NamedValueCreate {
  /** Name. */
  readonly name: string;
  /** Value. */
  readonly value?: string | undefined;
}

export interface PreprocessingStep {
  /** Kind of step, by Zabbix's codes. */
  readonly type: string;
  /** Parameters, one a line. */
  readonly params: string;
  /** On failure: 0 error, 1 discard the value, 2 set a value, 3 set an error. Default: 0. */
  readonly error_handler: string;
  /** The value or error to set. */
  readonly error_handler_params: string;
}

/** The same as a parameter. */
export interface PreprocessingStepCreate {
  /** Kind of step, by Zabbix's codes. */
  readonly type: string | number;
  /** Parameters, one a line. */
  readonly params?: string | undefined;
  /** On failure: 0 error, 1 discard the value, 2 set a value, 3 set an error. Default: 0. */
  readonly error_handler?: string | number | undefined;
  /** The value or error to set. */
  readonly error_handler_params?: string | undefined;
}

export interface SnmpDetails {
  /** 1, 2 (v2c) or 3. */
  readonly version: string;
  /** 1: several values in one request. Default: 1. */
  readonly bulk: string;
  /** Of versions 1 and 2c. */
  readonly community: string;
  /** Of GETBULK. Default: 10. */
  readonly max_repetitions: string;
  /** Of version 3. */
  readonly securityname: string;
  /** 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv. Default: 0. */
  readonly securitylevel: string;
  /** Of version 3. */
  readonly authpassphrase: string;
  /** Of version 3. */
  readonly privpassphrase: string;
  /** 0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512. Default: 0. */
  readonly authprotocol: string;
  /** 0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C. Default: 0. */
  readonly privprotocol: string;
  /** Of version 3. */
  readonly contextname: string;
}

/** The same as a parameter. */
export interface SnmpDetailsCreate {
  /** 1, 2 (v2c) or 3. */
  readonly version: string | number;
  /** 1: several values in one request. Default: 1. */
  readonly bulk?: string | number | undefined;
  /** Of versions 1 and 2c. */
  readonly community?: string | undefined;
  /** Of GETBULK. Default: 10. */
  readonly max_repetitions?: string | number | undefined;
  /** Of version 3. */
  readonly securityname?: string | undefined;
  /** 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv. Default: 0. */
  readonly securitylevel?: string | number | undefined;
  /** Of version 3. */
  readonly authpassphrase?: string | undefined;
  /** Of version 3. */
  readonly privpassphrase?: string | undefined;
  /** 0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512. Default: 0. */
  readonly authprotocol?: string | number | undefined;
  /** 0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C. Default: 0. */
  readonly privprotocol?: string | number | undefined;
  /** Of version 3. */
  readonly contextname?: string | undefined;
}

export interface Tag {
  /** Name. */
  readonly tag: string;
  /** Value. */
  readonly value: string;
}

/** The same as a parameter. */
export interface TagCreate {
  /** Name. */
  readonly tag: string;
  /** Value. */
  readonly value?: string | undefined;
}

export interface TriggerFunction {
  /** Id. */
  readonly functionid: string;
  /** Item. */
  readonly itemid: string;
  /** Trigger. */
  readonly triggerid: string;
  /** Name. */
  readonly function: string;
  /** Parameters; $ is the item. */
  readonly parameter: string;
}

export interface ValueMapping {
  /** 0 equals, 1 at least, 2 at most, 3 in range, 4 regular expression, 5 default. Default: 0. */
  readonly type: string;
  /** What is compared. */
  readonly value: string;
  /** Name of the value. */
  readonly newvalue: string;
}

/** The same as a parameter. */
export interface ValueMappingCreate {
  /** 0 equals, 1 at least, 2 at most, 3 in range, 4 regular expression, 5 default. Default: 0. */
  readonly type?: string | number | undefined;
  /** What is compared. */
  readonly value?: string | undefined;
  /** Name of the value. */
  readonly newvalue: string;
}
