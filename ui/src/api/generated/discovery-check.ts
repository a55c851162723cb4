// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { NetworkDiscoveryRule } from "./network-discovery-rule";

/** A check of a network discovery rule; created and changed with the rule. */
export interface DiscoveryCheck {
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
  /** The rule. */
  readonly druleid: string;
}

/** The properties of `select…` parameters. */
export interface DiscoveryCheckSelects {
  /** `selectDRules`. */
  readonly drules: readonly NetworkDiscoveryRule[];
}

/** Parameters of `dcheck.get`. */
export interface DiscoveryCheckGet extends GetParams<keyof DiscoveryCheck> {
  readonly selectDRules?: Output<keyof NetworkDiscoveryRule> | undefined;
}

/** What forms and readers of answers have to know of it. */
export const DISCOVERY_CHECK = {
  object: "dcheck",
  id: "dcheckid",
  ids: "dcheckids",
  fields: {
    dcheckid: { type: "id", readOnly: true },
    type: { type: "int", min: -2147483648, max: 2147483647, required: true },
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
    host_source: { type: "int", min: -2147483648, max: 2147483647, default: "1" },
    name_source: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
    allow_redirect: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
    druleid: { type: "id", readOnly: true },
  },
  selects: { drules: { param: "selectDRules", objects: "drule" } },
} as const;
