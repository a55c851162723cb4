// Interfaces while they are edited, and what is sent of them.

import { HOST_INTERFACE } from "@/api/generated/host-interface";
import type { InterfaceOfHostCreate } from "@/api/generated/parts";
import type { HostInterface, Id, SnmpDetails } from "@/api/types";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

const { type: TYPE, details: DETAILS } = HOST_INTERFACE.fields;
export const { AGENT, SNMP, IPMI, JMX } = TYPE.names;
export const { SNMPV1, SNMPV2, SNMPV3 } = DETAILS.fields.version.names;
const { names: LEVELS } = DETAILS.fields.securitylevel;
export const { NO_AUTH_NO_PRIV: NO_AUTH, AUTH_NO_PRIV: AUTH, AUTH_PRIV: AUTH_AND_PRIVACY } = LEVELS;

export type InterfaceKind = (typeof TYPE)["codes"][number];

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
  readonly version: (typeof DETAILS)["fields"]["version"]["codes"][number];
  readonly bulk: boolean;
  readonly community: string;
  readonly maxRepetitions: string;
  readonly securityName: string;
  readonly securityLevel: string;
  readonly authProtocol: string;
  readonly authPassphrase: string;
  readonly privProtocol: string;
  readonly privPassphrase: string;
  readonly contextName: string;
}

export type InterfaceDraft = Keyed<InterfaceFields>;

const PORTS: Readonly<Record<InterfaceKind, string>> = {
  [AGENT]: "10050",
  [SNMP]: "161",
  [IPMI]: "623",
  [JMX]: "12345",
};

const NEW_SNMP: SnmpFields = {
  version: SNMPV2,
  bulk: true,
  community: "{$SNMP_COMMUNITY}",
  maxRepetitions: DETAILS.fields.max_repetitions.default,
  securityName: "",
  securityLevel: NO_AUTH,
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
    ip: type === AGENT ? "127.0.0.1" : "",
    dns: "",
    port: PORTS[type],
    snmp: NEW_SNMP,
  });
}

type StoredInterface = Omit<HostInterface, "interfaceid" | "available" | "error"> & {
  readonly interfaceid?: Id | undefined;
  readonly details?: SnmpDetails | undefined;
};

export function draftOfInterface(it: StoredInterface): InterfaceDraft {
  const { details } = it;
  const version = DETAILS.fields.version.codes.find((it) => it === details?.version) ?? SNMPV2;
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
      securityLevel: details?.securitylevel ?? NO_AUTH,
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
    ...(draft.type === SNMP ? { details: toDetails(draft.snmp) } : {}),
  };
}

/** Only the fields that the version and the security level have: others are refused. */
export function toDetails(snmp: SnmpFields): NonNullable<InterfaceOfHostCreate["details"]> {
  const common = { version: snmp.version, bulk: snmp.bulk ? "1" : "0" };
  if (snmp.version !== SNMPV3) {
    return {
      ...common,
      community: snmp.community,
      ...(snmp.version === SNMPV2 ? { max_repetitions: snmp.maxRepetitions } : {}),
    };
  }
  return {
    ...common,
    max_repetitions: snmp.maxRepetitions,
    securityname: snmp.securityName,
    securitylevel: snmp.securityLevel,
    contextname: snmp.contextName,
    ...(snmp.securityLevel === NO_AUTH
      ? {}
      : { authprotocol: snmp.authProtocol, authpassphrase: snmp.authPassphrase }),
    ...(snmp.securityLevel === AUTH_AND_PRIVACY
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
  if (draft.type === SNMP && draft.snmp.version !== SNMPV3 && draft.snmp.community === "") {
    return t("a community is required");
  }
  return undefined;
}
