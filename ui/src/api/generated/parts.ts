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
  /** Bits of the action. */
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
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type: string;
  /** Value. */
  readonly value: string;
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
  /** 0 text, 1 secret, 2 vault. Default: 0. */
  readonly type?: string | number | undefined;
  /** Value. */
  readonly value: string;
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
  readonly ip: string;
  /** DNS name; may hold user macros. */
  readonly dns: string;
  /** Port; may be a user macro. */
  readonly port: string;
  /** How SNMP is spoken. */
  readonly details?: SnmpDetailsCreate | undefined;
  /** Not looked at: it is the host's. */
  readonly hostid?: string | number | undefined;
}

export interface Inventory {
  /** Type. */
  readonly type: string;
  /** Type (Full details). */
  readonly type_full: string;
  /** Name. */
  readonly name: string;
  /** Alias. */
  readonly alias: string;
  /** OS. */
  readonly os: string;
  /** OS (Full details). */
  readonly os_full: string;
  /** OS (Short). */
  readonly os_short: string;
  /** Serial number A. */
  readonly serialno_a: string;
  /** Serial number B. */
  readonly serialno_b: string;
  /** Tag. */
  readonly tag: string;
  /** Asset tag. */
  readonly asset_tag: string;
  /** MAC address A. */
  readonly macaddress_a: string;
  /** MAC address B. */
  readonly macaddress_b: string;
  /** Hardware. */
  readonly hardware: string;
  /** Hardware (Full details). */
  readonly hardware_full: string;
  /** Software. */
  readonly software: string;
  /** Software (Full details). */
  readonly software_full: string;
  /** Software application A. */
  readonly software_app_a: string;
  /** Software application B. */
  readonly software_app_b: string;
  /** Software application C. */
  readonly software_app_c: string;
  /** Software application D. */
  readonly software_app_d: string;
  /** Software application E. */
  readonly software_app_e: string;
  /** Contact. */
  readonly contact: string;
  /** Location. */
  readonly location: string;
  /** Location latitude. */
  readonly location_lat: string;
  /** Location longitude. */
  readonly location_lon: string;
  /** Notes. */
  readonly notes: string;
  /** Chassis. */
  readonly chassis: string;
  /** Model. */
  readonly model: string;
  /** HW architecture. */
  readonly hw_arch: string;
  /** Vendor. */
  readonly vendor: string;
  /** Contract number. */
  readonly contract_number: string;
  /** Installer name. */
  readonly installer_name: string;
  /** Deployment status. */
  readonly deployment_status: string;
  /** URL A. */
  readonly url_a: string;
  /** URL B. */
  readonly url_b: string;
  /** URL C. */
  readonly url_c: string;
  /** Host networks. */
  readonly host_networks: string;
  /** Host subnet mask. */
  readonly host_netmask: string;
  /** Host router. */
  readonly host_router: string;
  /** OOB IP address. */
  readonly oob_ip: string;
  /** OOB subnet mask. */
  readonly oob_netmask: string;
  /** OOB router. */
  readonly oob_router: string;
  /** Date HW purchased. */
  readonly date_hw_purchase: string;
  /** Date HW installed. */
  readonly date_hw_install: string;
  /** Date HW maintenance expires. */
  readonly date_hw_expiry: string;
  /** Date HW decommissioned. */
  readonly date_hw_decomm: string;
  /** Site address A. */
  readonly site_address_a: string;
  /** Site address B. */
  readonly site_address_b: string;
  /** Site address C. */
  readonly site_address_c: string;
  /** Site city. */
  readonly site_city: string;
  /** Site state / province. */
  readonly site_state: string;
  /** Site country. */
  readonly site_country: string;
  /** Site ZIP / postal. */
  readonly site_zip: string;
  /** Site rack location. */
  readonly site_rack: string;
  /** Site notes. */
  readonly site_notes: string;
  /** Primary POC name. */
  readonly poc_1_name: string;
  /** Primary POC email. */
  readonly poc_1_email: string;
  /** Primary POC phone A. */
  readonly poc_1_phone_a: string;
  /** Primary POC phone B. */
  readonly poc_1_phone_b: string;
  /** Primary POC cell. */
  readonly poc_1_cell: string;
  /** Primary POC screen name. */
  readonly poc_1_screen: string;
  /** Primary POC notes. */
  readonly poc_1_notes: string;
  /** Secondary POC name. */
  readonly poc_2_name: string;
  /** Secondary POC email. */
  readonly poc_2_email: string;
  /** Secondary POC phone A. */
  readonly poc_2_phone_a: string;
  /** Secondary POC phone B. */
  readonly poc_2_phone_b: string;
  /** Secondary POC cell. */
  readonly poc_2_cell: string;
  /** Secondary POC screen name. */
  readonly poc_2_screen: string;
  /** Secondary POC notes. */
  readonly poc_2_notes: string;
}

/** The same as a parameter. */
export interface InventoryCreate {
  /** Type. */
  readonly type?: string | undefined;
  /** Type (Full details). */
  readonly type_full?: string | undefined;
  /** Name. */
  readonly name?: string | undefined;
  /** Alias. */
  readonly alias?: string | undefined;
  /** OS. */
  readonly os?: string | undefined;
  /** OS (Full details). */
  readonly os_full?: string | undefined;
  /** OS (Short). */
  readonly os_short?: string | undefined;
  /** Serial number A. */
  readonly serialno_a?: string | undefined;
  /** Serial number B. */
  readonly serialno_b?: string | undefined;
  /** Tag. */
  readonly tag?: string | undefined;
  /** Asset tag. */
  readonly asset_tag?: string | undefined;
  /** MAC address A. */
  readonly macaddress_a?: string | undefined;
  /** MAC address B. */
  readonly macaddress_b?: string | undefined;
  /** Hardware. */
  readonly hardware?: string | undefined;
  /** Hardware (Full details). */
  readonly hardware_full?: string | undefined;
  /** Software. */
  readonly software?: string | undefined;
  /** Software (Full details). */
  readonly software_full?: string | undefined;
  /** Software application A. */
  readonly software_app_a?: string | undefined;
  /** Software application B. */
  readonly software_app_b?: string | undefined;
  /** Software application C. */
  readonly software_app_c?: string | undefined;
  /** Software application D. */
  readonly software_app_d?: string | undefined;
  /** Software application E. */
  readonly software_app_e?: string | undefined;
  /** Contact. */
  readonly contact?: string | undefined;
  /** Location. */
  readonly location?: string | undefined;
  /** Location latitude. */
  readonly location_lat?: string | undefined;
  /** Location longitude. */
  readonly location_lon?: string | undefined;
  /** Notes. */
  readonly notes?: string | undefined;
  /** Chassis. */
  readonly chassis?: string | undefined;
  /** Model. */
  readonly model?: string | undefined;
  /** HW architecture. */
  readonly hw_arch?: string | undefined;
  /** Vendor. */
  readonly vendor?: string | undefined;
  /** Contract number. */
  readonly contract_number?: string | undefined;
  /** Installer name. */
  readonly installer_name?: string | undefined;
  /** Deployment status. */
  readonly deployment_status?: string | undefined;
  /** URL A. */
  readonly url_a?: string | undefined;
  /** URL B. */
  readonly url_b?: string | undefined;
  /** URL C. */
  readonly url_c?: string | undefined;
  /** Host networks. */
  readonly host_networks?: string | undefined;
  /** Host subnet mask. */
  readonly host_netmask?: string | undefined;
  /** Host router. */
  readonly host_router?: string | undefined;
  /** OOB IP address. */
  readonly oob_ip?: string | undefined;
  /** OOB subnet mask. */
  readonly oob_netmask?: string | undefined;
  /** OOB router. */
  readonly oob_router?: string | undefined;
  /** Date HW purchased. */
  readonly date_hw_purchase?: string | undefined;
  /** Date HW installed. */
  readonly date_hw_install?: string | undefined;
  /** Date HW maintenance expires. */
  readonly date_hw_expiry?: string | undefined;
  /** Date HW decommissioned. */
  readonly date_hw_decomm?: string | undefined;
  /** Site address A. */
  readonly site_address_a?: string | undefined;
  /** Site address B. */
  readonly site_address_b?: string | undefined;
  /** Site address C. */
  readonly site_address_c?: string | undefined;
  /** Site city. */
  readonly site_city?: string | undefined;
  /** Site state / province. */
  readonly site_state?: string | undefined;
  /** Site country. */
  readonly site_country?: string | undefined;
  /** Site ZIP / postal. */
  readonly site_zip?: string | undefined;
  /** Site rack location. */
  readonly site_rack?: string | undefined;
  /** Site notes. */
  readonly site_notes?: string | undefined;
  /** Primary POC name. */
  readonly poc_1_name?: string | undefined;
  /** Primary POC email. */
  readonly poc_1_email?: string | undefined;
  /** Primary POC phone A. */
  readonly poc_1_phone_a?: string | undefined;
  /** Primary POC phone B. */
  readonly poc_1_phone_b?: string | undefined;
  /** Primary POC cell. */
  readonly poc_1_cell?: string | undefined;
  /** Primary POC screen name. */
  readonly poc_1_screen?: string | undefined;
  /** Primary POC notes. */
  readonly poc_1_notes?: string | undefined;
  /** Secondary POC name. */
  readonly poc_2_name?: string | undefined;
  /** Secondary POC email. */
  readonly poc_2_email?: string | undefined;
  /** Secondary POC phone A. */
  readonly poc_2_phone_a?: string | undefined;
  /** Secondary POC phone B. */
  readonly poc_2_phone_b?: string | undefined;
  /** Secondary POC cell. */
  readonly poc_2_cell?: string | undefined;
  /** Secondary POC screen name. */
  readonly poc_2_screen?: string | undefined;
  /** Secondary POC notes. */
  readonly poc_2_notes?: string | undefined;
}

export interface LldFilter {
  /** 0 and/or, 1 and, 2 or, 3 custom formula. */
  readonly evaltype: string;
  /** Custom formula. */
  readonly formula: string;
  /** Conditions. */
  readonly conditions: readonly {
    /** Letter in a custom formula. */
    readonly formulaid: string;
    /** LLD macro. */
    readonly macro: string;
    /** 8 matches, 9 does not match, 12 exists, 13 does not exist. Default: 8. */
    readonly operator: string;
    /** Regular expression, or @name of a global one. */
    readonly value: string;
  }[];
}

/** The same as a parameter. */
export interface LldFilterCreate {
  /** 0 and/or, 1 and, 2 or, 3 custom formula. */
  readonly evaltype: string | number;
  /** Custom formula. */
  readonly formula?: string | undefined;
  /** Conditions. */
  readonly conditions: readonly {
    /** Letter in a custom formula. */
    readonly formulaid?: string | undefined;
    /** LLD macro. */
    readonly macro: string;
    /** 8 matches, 9 does not match, 12 exists, 13 does not exist. Default: 8. */
    readonly operator?: string | number | undefined;
    /** Regular expression, or @name of a global one. */
    readonly value?: string | undefined;
  }[];
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
  /** Overrides apply in this order. */
  readonly step: string;
  /** 1: no further one applies to a row of this. Default: 0. */
  readonly stop: string;
  /** Which rows it concerns. */
  readonly filter: LldFilter | readonly [];
  /** What it changes. */
  readonly operations: readonly {
    /** 0 item, 1 trigger, 2 graph, 3 host, 4 rule prototypes. */
    readonly operationobject: string;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches, 9 does not match. Default: 0. */
    readonly operator: string;
    /** The text to compare the object's name with. */
    readonly value: string;
    /** Whether objects are made. */
    readonly opdiscover: {
      /** 0 yes, 1 no. */
      readonly discover: string;
    } | readonly [];
    /** Status of created objects. */
    readonly opstatus: {
      /** 0 enabled, 1 disabled. */
      readonly status: string;
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
  /** Overrides apply in this order. */
  readonly step: string | number;
  /** 1: no further one applies to a row of this. Default: 0. */
  readonly stop?: string | number | undefined;
  /** Which rows it concerns. */
  readonly filter?: LldFilterCreate | undefined;
  /** What it changes. */
  readonly operations?: readonly {
    /** 0 item, 1 trigger, 2 graph, 3 host, 4 rule prototypes. */
    readonly operationobject: string | number;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches, 9 does not match. Default: 0. */
    readonly operator?: string | number | undefined;
    /** The text to compare the object's name with. */
    readonly value?: string | undefined;
    /** Whether objects are made. */
    readonly opdiscover?: {
      /** 0 yes, 1 no. */
      readonly discover: string | number;
    } | undefined;
    /** Status of created objects. */
    readonly opstatus?: {
      /** 0 enabled, 1 disabled. */
      readonly status: string | number;
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
  readonly value: string;
}

export interface PreprocessingStep {
  /** Kind of step, by Zabbix's codes. */
  readonly type: string;
  /** Parameters, one a line, if the kind has any. */
  readonly params: string;
  /** On failure, of kinds that may fail: 0 error, 1 discard the value, 2 set a value, 3 set an error. */
  readonly error_handler: string;
  /** The value or error to set. */
  readonly error_handler_params: string;
}

/** The same as a parameter. */
export interface PreprocessingStepCreate {
  /** Kind of step, by Zabbix's codes. */
  readonly type: string | number;
  /** Parameters, one a line, if the kind has any. */
  readonly params?: string | undefined;
  /** On failure, of kinds that may fail: 0 error, 1 discard the value, 2 set a value, 3 set an error. */
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
