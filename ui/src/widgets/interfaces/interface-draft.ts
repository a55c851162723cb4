// Interfaces while they are edited, and what is sent of them.

import type { InterfaceOfHostCreate } from "@/api/generated/parts";
import type { HostInterface, SnmpDetails } from "@/api/types";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export type InterfaceKind = "1" | "2" | "3" | "4";

export interface InterfaceFields {
  readonly interfaceid: string | undefined;
  readonly type: string;
  readonly main: boolean;
  readonly useip: boolean;
  readonly ip: string;
  readonly dns: string;
  readonly port: string;
  readonly snmp: SnmpFields;
}

export interface SnmpFields {
  readonly version: "1" | "2" | "3";
  readonly bulk: boolean;
  readonly community: string;
  readonly maxRepetitions: string;
  readonly securityName: string;
  /** 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv */
  readonly securityLevel: string;
  readonly authProtocol: string;
  readonly authPassphrase: string;
  readonly privProtocol: string;
  readonly privPassphrase: string;
  readonly contextName: string;
}

export type InterfaceDraft = Keyed<InterfaceFields>;

const PORTS: Readonly<Record<InterfaceKind, string>> = {
  "1": "10050",
  "2": "161",
  "3": "623",
  "4": "12345",
};

const NEW_SNMP: SnmpFields = {
  version: "2",
  bulk: true,
  community: "{$SNMP_COMMUNITY}",
  maxRepetitions: "10",
  securityName: "",
  securityLevel: "0",
  authProtocol: "0",
  authPassphrase: "",
  privProtocol: "0",
  privPassphrase: "",
  contextName: "",
};

export function newInterface(type: InterfaceKind, main: boolean): InterfaceDraft {
  return keyed({
    interfaceid: undefined,
    type,
    main,
    useip: true,
    ip: type === "1" ? "127.0.0.1" : "",
    dns: "",
    port: PORTS[type],
    snmp: NEW_SNMP,
  });
}

export function draftOfInterface(it: Omit<HostInterface, "available" | "error">): InterfaceDraft {
  const { details } = it;
  const version = details?.version === "1" || details?.version === "3" ? details.version : "2";
  return keyed({
    interfaceid: it.interfaceid,
    type: it.type,
    main: it.main === "1",
    useip: it.useip === "1",
    ip: it.ip,
    dns: it.dns,
    port: it.port,
    snmp: {
      version,
      bulk: details?.bulk !== "0",
      community: details?.community || NEW_SNMP.community,
      maxRepetitions: details?.max_repetitions ?? NEW_SNMP.maxRepetitions,
      securityName: details?.securityname ?? "",
      securityLevel: details?.securitylevel ?? "0",
      authProtocol: details?.authprotocol ?? "0",
      authPassphrase: details?.authpassphrase ?? "",
      privProtocol: details?.privprotocol ?? "0",
      privPassphrase: details?.privpassphrase ?? "",
      contextName: details?.contextname ?? "",
    },
  });
}

export function toInterface(draft: InterfaceFields): InterfaceOfHostCreate {
  return {
    ...(draft.interfaceid === undefined ? {} : { interfaceid: draft.interfaceid }),
    type: draft.type,
    main: draft.main ? "1" : "0",
    useip: draft.useip ? "1" : "0",
    ip: draft.ip.trim(),
    dns: draft.dns.trim(),
    port: draft.port.trim(),
    ...(draft.type === "2" ? { details: toDetails(draft.snmp) } : {}),
  };
}

/** Only the fields that the version and the security level have: others are refused. */
export function toDetails(snmp: SnmpFields): SnmpDetails {
  const common = { version: snmp.version, bulk: snmp.bulk ? "1" : "0" };
  if (snmp.version !== "3") {
    return {
      ...common,
      community: snmp.community,
      ...(snmp.version === "2" ? { max_repetitions: snmp.maxRepetitions } : {}),
    };
  }
  return {
    ...common,
    max_repetitions: snmp.maxRepetitions,
    securityname: snmp.securityName,
    securitylevel: snmp.securityLevel,
    contextname: snmp.contextName,
    ...(snmp.securityLevel === "0"
      ? {}
      : { authprotocol: snmp.authProtocol, authpassphrase: snmp.authPassphrase }),
    ...(snmp.securityLevel === "2"
      ? { privprotocol: snmp.privProtocol, privpassphrase: snmp.privPassphrase }
      : {}),
  };
}

/** What is missing, in words; undefined when the interface can be saved. */
export function interfaceError(draft: InterfaceFields): string | undefined {
  if (draft.useip && draft.ip.trim() === "") return t("an IP address is required");
  if (!draft.useip && draft.dns.trim() === "") return t("a DNS name is required");
  if (!/^(\d{1,5}|\{[$#].+\})$/.test(draft.port.trim()))
    return t("enter a port (1–65535) or a macro");
  if (/^\d+$/.test(draft.port) && (Number(draft.port) < 1 || Number(draft.port) > 65_535)) {
    return t("enter a port (1–65535) or a macro");
  }
  if (draft.type === "2" && draft.snmp.version !== "3" && draft.snmp.community === "") {
    return t("a community is required");
  }
  return undefined;
}
