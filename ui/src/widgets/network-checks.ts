// What checks of network discovery look for, for forms, lists and conditions.

import { NETWORK_DISCOVERY_RULE } from "@/api/generated/network-discovery-rule";
import { t } from "@/lib/i18n";

const { names: TYPES } = NETWORK_DISCOVERY_RULE.fields.dchecks.fields.type;
export const { AGENT, SNMP_V1, SNMP_V2C: SNMP_V2, PING, SNMP_V3 } = TYPES;

const NAMES = [
  "SSH",
  "LDAP",
  "SMTP",
  "FTP",
  "HTTP",
  "POP",
  "NNTP",
  "IMAP",
  "TCP",
  t("Zabbix agent"),
  t("SNMPv1 agent"),
  t("SNMPv2 agent"),
  t("ICMP ping"),
  t("SNMPv3 agent"),
  "HTTPS",
  "Telnet",
] as const;

/** The port of a service, where it has a usual one. */
const PORTS: Readonly<Record<string, string>> = {
  [TYPES.SSH]: "22",
  [TYPES.LDAP]: "389",
  [TYPES.SMTP]: "25",
  [TYPES.FTP]: "21",
  [TYPES.HTTP]: "80",
  [TYPES.POP]: "110",
  [TYPES.NNTP]: "119",
  [TYPES.IMAP]: "143",
  [TYPES.TCP]: "80",
  [AGENT]: "10050",
  [SNMP_V1]: "161",
  [SNMP_V2]: "161",
  [PING]: "0",
  [SNMP_V3]: "161",
  [TYPES.HTTPS]: "443",
  [TYPES.TELNET]: "23",
};

export function usualPort(type: string): string {
  return PORTS[type] ?? "0";
}

export function checkTypeName(type: string): string {
  return NAMES[Number(type)] ?? type;
}

/** In the order in which people look for them. */
const ORDER = [12, 9, 11, 13, 10, 8, 4, 14, 0, 15, 3, 2, 5, 7, 1, 6] as const;

export function checkTypeOptions() {
  return ORDER.map((code) => ({ value: String(code), label: checkTypeName(String(code)) }));
}

export function isSnmp(type: string): boolean {
  return type === SNMP_V1 || type === SNMP_V2 || type === SNMP_V3;
}

/** Whether it is answered with a value. */
export function hasValue(type: string): boolean {
  return type === AGENT || isSnmp(type);
}

export interface NamedCheck {
  readonly type: string;
  readonly ports: string;
  readonly key_: string;
}

/** `TCP (80)`, `Zabbix agent (10050) "system.uname"` */
export function checkName({ type, ports, key_ }: NamedCheck): string {
  const at = type === PING || ports === "0" || ports === "" ? "" : ` (${ports})`;
  return `${checkTypeName(type)}${at}${hasValue(type) ? ` "${key_}"` : ""}`;
}
