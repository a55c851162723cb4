// How items log in at what they ask, and what they ask there: SSH, Telnet, databases, JMX, IPMI; as data.

import type { ItemDraft } from "@/api/items";
import type { RequestContent } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { EXTERNAL, IPMI, JMX, ODBC, SSH, TELNET } from "@/lib/item-types";

export interface AccessFields {
  readonly user: string;
  readonly password: string;
  /** SSH: with a key instead of a password */
  readonly byKey: boolean;
  readonly publicKey: string;
  readonly privateKey: string;
  /** a command, or a query */
  readonly command: string;
  readonly jmxEndpoint: string;
  readonly ipmiSensor: string;
}

export const JMX_ENDPOINT = "service:jmx:rmi:///jndi/rmi://{HOST.CONN}:{HOST.PORT}/jmxrmi";

/** Types that have a login of their own, with a command or a query. */
const WITH_COMMAND: readonly number[] = [SSH, TELNET, ODBC];
const WITH_LOGIN: readonly number[] = [...WITH_COMMAND, JMX];

export function hasCommand(type: number): boolean {
  return WITH_COMMAND.includes(type);
}

export function hasLogin(type: number): boolean {
  return WITH_LOGIN.includes(type);
}

/** Whether it may have a time-out of its own. */
export function hasTimeout(type: number): boolean {
  return hasCommand(type) || type === EXTERNAL;
}

export function accessOf(of: RequestContent | undefined): AccessFields {
  const type = Number(of?.type);
  return {
    user: hasLogin(type) ? (of?.username ?? "") : "",
    password: hasLogin(type) ? (of?.password ?? "") : "",
    byKey: type === SSH && of?.authtype === "1",
    publicKey: of?.publickey ?? "",
    privateKey: of?.privatekey ?? "",
    // what `params` is follows the type
    command: hasCommand(type) ? (of?.params ?? "") : "",
    jmxEndpoint: of?.jmx_endpoint || JMX_ENDPOINT,
    ipmiSensor: of?.ipmi_sensor ?? "",
  };
}

export interface AccessChecks {
  readonly user: Check;
  readonly publicKey: Check;
  readonly privateKey: Check;
  readonly command: Check;
  readonly jmxEndpoint: Check;
  readonly ipmiSensor: Check;
}

function needed(is: boolean, text: string, what: string): Check {
  return is && text.trim() === "" ? bad(what, 0) : OK;
}

/** `key`: of the item; one of IPMI asks for all sensors. */
export function checkAccess(type: number, of: AccessFields, key: string): AccessChecks {
  const onTerminal = type === SSH || type === TELNET;
  const byKey = type === SSH && of.byKey;
  const isHalf = type === JMX && (of.user === "") !== (of.password === "");
  return {
    user: isHalf
      ? bad(t("enter both user and password, or neither"), 0)
      : needed(onTerminal, of.user, t("a user is required")),
    publicKey: needed(byKey, of.publicKey, t("a file is required")),
    privateKey: needed(byKey, of.privateKey, t("a file is required")),
    command: needed(
      hasCommand(type),
      of.command,
      type === ODBC ? t("a query is required") : t("a command is required"),
    ),
    jmxEndpoint: needed(type === JMX, of.jmxEndpoint, t("an endpoint is required")),
    ipmiSensor: needed(
      type === IPMI && key.trim() !== "ipmi.get",
      of.ipmiSensor,
      t("a sensor is required"),
    ),
  };
}

export function draftOfAccess(type: number, of: AccessFields): Partial<ItemDraft> {
  const login = { username: of.user.trim(), password: of.password };
  if (type === IPMI) return { ipmi_sensor: of.ipmiSensor.trim() };
  if (type === JMX) return { ...login, jmx_endpoint: of.jmxEndpoint.trim() };
  if (!hasCommand(type)) return {};
  if (type !== SSH) return { ...login, params: of.command };
  return {
    ...login,
    params: of.command,
    authtype: of.byKey ? "1" : "0",
    publickey: of.byKey ? of.publicKey.trim() : "",
    privatekey: of.byKey ? of.privateKey.trim() : "",
  };
}
