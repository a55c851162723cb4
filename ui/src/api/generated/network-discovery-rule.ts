// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveredHost } from "./discovered-host";
import type { GetParams, Output } from "./get";

/** Which addresses are looked at for devices, and by which checks. */
export interface NetworkDiscoveryRule {
  /** Id. */
  readonly druleid: string;
  /** Only 0 yet: the server looks. Default: 0. */
  readonly proxyid: string;
  /** Name. */
  readonly name: string;
  /** Addresses, ranges (192.0.2.1-99) and networks (192.0.2.0/24, 2001:db8::/120), separated by commas. */
  readonly iprange: string;
  /** From one round to the next: 1 s to 1 week, or a user macro. Default: 1h. */
  readonly delay: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** Checks at once: 0 as many as the server makes, 1 one after the other, at most 999. Default: 0. */
  readonly concurrency_max: string;
  /** Why the last round was not made; empty if it was. */
  readonly error: string;
}

/** The properties of `select…` parameters. */
export interface NetworkDiscoveryRuleSelects {
  /** `selectDChecks`; its number, as a text, with "count". */
  readonly dchecks: readonly {
    /** Id; in an update it names the check to change. */
    readonly dcheckid: string;
    /** 0 SSH, 1 LDAP, 2 SMTP, 3 FTP, 4 HTTP, 5 POP, 6 NNTP, 7 IMAP, 8 TCP, 9 Zabbix agent, 10 SNMPv1, 11 SNMPv2c, 12 ICMP ping, 13 SNMPv3, 14 HTTPS, 15 Telnet. */
    readonly type: string;
    /** Of agents: the key; of SNMP: the OID. */
    readonly key_: string;
    /** Of SNMPv1 and SNMPv2c: the community. */
    readonly snmp_community: string;
    /** Ports and ranges of them, separated by commas; 0 the usual one of the type. Default: 0. */
    readonly ports: string;
    /** Of SNMPv3: the user. */
    readonly snmpv3_securityname: string;
    /** Of SNMPv3: 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv. Default: 0. */
    readonly snmpv3_securitylevel: string;
    /** Of SNMPv3: for authentication. */
    readonly snmpv3_authpassphrase: string;
    /** Of SNMPv3: for privacy. */
    readonly snmpv3_privpassphrase: string;
    /** 1: addresses with the same value are one device; of agents and SNMP, and of one check only. Default: 0. */
    readonly uniq: string;
    /** Of SNMPv3: 0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512. Default: 0. */
    readonly snmpv3_authprotocol: string;
    /** Of SNMPv3: 0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C. Default: 0. */
    readonly snmpv3_privprotocol: string;
    /** Of SNMPv3: the context. */
    readonly snmpv3_contextname: string;
    /** Technical name of hosts made of devices: 1 DNS name, 2 IP address, 3 the value of this check. Default: 1. */
    readonly host_source: string;
    /** Visible name of hosts made of devices: 0 none, 1 DNS name, 2 IP address, 3 the value of this check. Default: 0. */
    readonly name_source: string;
    /** Of ICMP ping: 1 an answer of another address counts. Default: 0. */
    readonly allow_redirect: string;
  }[] | string;
  /** `selectDHosts`; its number, as a text, with "count". */
  readonly dhosts: readonly DiscoveredHost[] | string;
}

/** Parameters of `drule.get`. */
export interface NetworkDiscoveryRuleGet extends GetParams<keyof NetworkDiscoveryRule> {
  readonly selectDChecks?: Output<string> | "count" | undefined;
  readonly selectDHosts?: Output<keyof DiscoveredHost> | "count" | undefined;
}

/** Parameters of `drule.create`. */
export interface NetworkDiscoveryRuleCreate {
  /** Only 0 yet: the server looks. Default: 0. */
  readonly proxyid?: string | number | undefined;
  /** Name. */
  readonly name: string;
  /** Addresses, ranges (192.0.2.1-99) and networks (192.0.2.0/24, 2001:db8::/120), separated by commas. */
  readonly iprange: string;
  /** From one round to the next: 1 s to 1 week, or a user macro. Default: 1h. */
  readonly delay?: string | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** Checks at once: 0 as many as the server makes, 1 one after the other, at most 999. Default: 0. */
  readonly concurrency_max?: string | number | undefined;
  /** What is looked for; at least one. */
  readonly dchecks?: readonly {
    /** Id; in an update it names the check to change. */
    readonly dcheckid?: string | number | undefined;
    /** 0 SSH, 1 LDAP, 2 SMTP, 3 FTP, 4 HTTP, 5 POP, 6 NNTP, 7 IMAP, 8 TCP, 9 Zabbix agent, 10 SNMPv1, 11 SNMPv2c, 12 ICMP ping, 13 SNMPv3, 14 HTTPS, 15 Telnet. */
    readonly type: string | number;
    /** Of agents: the key; of SNMP: the OID. */
    readonly key_?: string | undefined;
    /** Of SNMPv1 and SNMPv2c: the community. */
    readonly snmp_community?: string | undefined;
    /** Ports and ranges of them, separated by commas; 0 the usual one of the type. Default: 0. */
    readonly ports?: string | undefined;
    /** Of SNMPv3: the user. */
    readonly snmpv3_securityname?: string | undefined;
    /** Of SNMPv3: 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv. Default: 0. */
    readonly snmpv3_securitylevel?: string | number | undefined;
    /** Of SNMPv3: for authentication. */
    readonly snmpv3_authpassphrase?: string | undefined;
    /** Of SNMPv3: for privacy. */
    readonly snmpv3_privpassphrase?: string | undefined;
    /** 1: addresses with the same value are one device; of agents and SNMP, and of one check only. Default: 0. */
    readonly uniq?: string | number | undefined;
    /** Of SNMPv3: 0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512. Default: 0. */
    readonly snmpv3_authprotocol?: string | number | undefined;
    /** Of SNMPv3: 0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C. Default: 0. */
    readonly snmpv3_privprotocol?: string | number | undefined;
    /** Of SNMPv3: the context. */
    readonly snmpv3_contextname?: string | undefined;
    /** Technical name of hosts made of devices: 1 DNS name, 2 IP address, 3 the value of this check. Default: 1. */
    readonly host_source?: string | number | undefined;
    /** Visible name of hosts made of devices: 0 none, 1 DNS name, 2 IP address, 3 the value of this check. Default: 0. */
    readonly name_source?: string | number | undefined;
    /** Of ICMP ping: 1 an answer of another address counts. Default: 0. */
    readonly allow_redirect?: string | number | undefined;
  }[] | undefined;
}

/** Parameters of `drule.update`: omitted fields keep their values. */
export type NetworkDiscoveryRuleUpdate = Partial<NetworkDiscoveryRuleCreate> & { readonly druleid: string };

/** What forms and readers of answers have to know of it. */
export const NETWORK_DISCOVERY_RULE = {
  object: "drule",
  id: "druleid",
  ids: "druleids",
  fields: {
    druleid: { type: "id", readOnly: true },
    proxyid: { type: "id", default: "0" },
    name: { type: "text", max: 255, required: true },
    iprange: { type: "text", max: 2048, required: true },
    delay: { type: "text", max: 255, default: "1h" },
    status: {
      type: "int",
      min: -2147483648,
      max: 2147483647,
      default: "0",
      names: { ENABLED: "0", DISABLED: "1" },
    },
    concurrency_max: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
    error: { type: "text", max: 255, readOnly: true },
    dchecks: {
      type: "list",
      fields: {
        dcheckid: { type: "id", readOnly: true },
        type: {
          type: "int",
          min: -2147483648,
          max: 2147483647,
          required: true,
          names: {
            SSH: "0",
            LDAP: "1",
            SMTP: "2",
            FTP: "3",
            HTTP: "4",
            POP: "5",
            NNTP: "6",
            IMAP: "7",
            TCP: "8",
            AGENT: "9",
            SNMP_V1: "10",
            SNMP_V2C: "11",
            PING: "12",
            SNMP_V3: "13",
            HTTPS: "14",
            TELNET: "15",
          },
        },
        key_: { type: "text", max: 2048 },
        snmp_community: { type: "text", max: 255 },
        ports: { type: "text", max: 255, default: "0" },
        snmpv3_securityname: { type: "text", max: 64 },
        snmpv3_securitylevel: { type: "code", codes: ["0", "1", "2"], default: "0" },
        snmpv3_authpassphrase: { type: "text", max: 64 },
        snmpv3_privpassphrase: { type: "text", max: 64 },
        uniq: { type: "code", codes: ["0", "1"], default: "0" },
        snmpv3_authprotocol: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
        snmpv3_privprotocol: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
        snmpv3_contextname: { type: "text", max: 255 },
        host_source: {
          type: "int",
          min: -2147483648,
          max: 2147483647,
          default: "1",
          names: { DNS: "1", IP: "2", VALUE: "3" },
        },
        name_source: {
          type: "int",
          min: -2147483648,
          max: 2147483647,
          default: "0",
          names: { NONE: "0", DNS: "1", IP: "2", VALUE: "3" },
        },
        allow_redirect: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
      },
      notAnswered: true,
    },
  },
  selects: {
    dchecks: { param: "selectDChecks" },
    dhosts: { param: "selectDHosts", objects: "dhost" },
  },
} as const;
