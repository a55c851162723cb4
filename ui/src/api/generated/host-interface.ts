// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { Item } from "./item";
import type { SnmpDetails, SnmpDetailsCreate } from "./parts";

/** An address at which a host is polled. */
export interface HostInterface {
  /** Id. */
  readonly interfaceid: string;
  /** Host that it belongs to. */
  readonly hostid: string;
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
  /** 0 unknown, 1 available, 2 not available. */
  readonly available: string;
  /** Why it is not available. */
  readonly error: string;
  /** First failure in a row. */
  readonly errors_from: string;
  /** When it is polled again. */
  readonly disable_until: string;
}

/** The properties of `select…` parameters. */
export interface HostInterfaceSelects {
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly Item[] | string;
}

/** Parameters of `hostinterface.get`. */
export interface HostInterfaceGet extends GetParams<keyof HostInterface> {
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectItems?: Output<keyof Item> | "count" | undefined;
}

/** Parameters of `hostinterface.create`. */
export interface HostInterfaceCreate {
  /** Host that it belongs to. */
  readonly hostid: string | number;
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
}

/** Parameters of `hostinterface.update`: omitted fields keep their values. */
export type HostInterfaceUpdate = Partial<HostInterfaceCreate> & { readonly interfaceid: string };

/** What forms and readers of answers have to know of it. */
export const HOST_INTERFACE = {
  object: "hostinterface",
  id: "interfaceid",
  ids: "interfaceids",
  fields: {
    interfaceid: { type: "id", readOnly: true },
    hostid: { type: "id", required: true },
    main: { type: "code", codes: ["0", "1"], required: true },
    type: {
      type: "code",
      codes: ["1", "2", "3", "4"],
      required: true,
      names: { AGENT: "1", SNMP: "2", IPMI: "3", JMX: "4" },
    },
    useip: { type: "code", codes: ["0", "1"], required: true },
    ip: { type: "text", max: 255, required: true },
    dns: { type: "text", max: 255, required: true },
    port: { type: "text", max: 64, required: true },
    details: {
      type: "object",
      fields: {
        version: {
          type: "code",
          codes: ["1", "2", "3"],
          required: true,
          names: { SNMPV1: "1", SNMPV2: "2", SNMPV3: "3" },
        },
        bulk: { type: "code", codes: ["0", "1"], default: "1" },
        community: { type: "text", max: 255 },
        max_repetitions: { type: "int", min: 1, max: 2147483647, default: "10" },
        securityname: { type: "text", max: 255 },
        securitylevel: {
          type: "code",
          codes: ["0", "1", "2"],
          default: "0",
          names: { NO_AUTH_NO_PRIV: "0", AUTH_NO_PRIV: "1", AUTH_PRIV: "2" },
        },
        authpassphrase: { type: "text", max: 255 },
        privpassphrase: { type: "text", max: 255 },
        authprotocol: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
        privprotocol: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
        contextname: { type: "text", max: 255 },
      },
    },
    available: { type: "code", codes: ["0", "1", "2"], readOnly: true },
    error: { type: "text", max: 255, readOnly: true },
    errors_from: { type: "time", readOnly: true },
    disable_until: { type: "time", readOnly: true },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    items: { param: "selectItems", objects: "item" },
  },
} as const;
