// A rule of network discovery while it is edited: its checks, how devices are identified and named, the requests of checks.

import { newFields } from "@/api/described";
import { NETWORK_DISCOVERY_RULE } from "@/api/generated/network-discovery-rule";
import type { NetworkRule, NetworkRuleDraft } from "@/api/network-discovery";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkPeriod, intervalSeconds } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import { type Keyed, keyed } from "@/widgets/keyed";
import {
  AGENT,
  hasValue,
  isSnmp,
  checkName as nameOfCheck,
  PING,
  SNMP_V3,
  usualPort,
} from "@/widgets/network-checks";

const { fields: FIELDS } = NETWORK_DISCOVERY_RULE;
const { fields: CHECK_FIELDS } = FIELDS.dchecks;

type StoredCheck = NetworkRule["dchecks"][number];
/** `dcheckid` is "" of a new one. */
export type CheckFields = Required<Omit<StoredCheck, "uniq" | "host_source" | "name_source">>;

export const { DNS: BY_DNS, IP: BY_IP } = CHECK_FIELDS.host_source.names;
const { VALUE: BY_VALUE, NONE: UNNAMED } = CHECK_FIELDS.name_source.names;

export interface RuleFields {
  readonly name: string;
  readonly iprange: string;
  readonly delay: string;
  readonly enabled: boolean;
  readonly concurrency_max: string;
  readonly checks: readonly Keyed<CheckFields>[];
  /** the key of the check that identifies devices; undefined: the address does */
  readonly unique: number | undefined;
  /** a code, or the key of the check whose value is the name */
  readonly hostSource: string | number;
  readonly nameSource: string | number;
}

export function newCheck(type: string = PING): Keyed<CheckFields> {
  const { uniq: _u, host_source: _h, name_source: _n, ...fields } = newFields(CHECK_FIELDS);
  return keyed({ ...fields, dcheckid: "", type, ports: usualPort(type) });
}

export function fieldsOf(rule: NetworkRule | undefined): RuleFields {
  if (rule === undefined) {
    const { name, delay, concurrency_max } = newFields(FIELDS);
    return {
      name,
      iprange: "192.168.0.1-254",
      delay,
      enabled: true,
      concurrency_max,
      checks: [newCheck()],
      unique: undefined,
      hostSource: BY_DNS,
      nameSource: UNNAMED,
    };
  }
  // other fields name checks by their keys: the same each time that the rule is read, and no key of a new check
  const checks = rule.dchecks.map(({ uniq: _u, host_source: _h, name_source: _n, ...check }) => ({
    ...check,
    key: -Number(check.dcheckid),
  }));
  const keyOf = (is: (check: StoredCheck) => boolean) => checks[rule.dchecks.findIndex(is)]?.key;
  const source = (field: "host_source" | "name_source", none: string) =>
    keyOf((it) => it[field] === BY_VALUE) ?? rule.dchecks[0]?.[field] ?? none;
  return {
    name: rule.name,
    iprange: rule.iprange,
    delay: rule.delay,
    enabled: rule.status === "0",
    concurrency_max: rule.concurrency_max,
    checks,
    unique: keyOf((it) => it.uniq === "1"),
    hostSource: source("host_source", BY_DNS),
    nameSource: source("name_source", UNNAMED),
  };
}

/** Checks whose value may identify devices or name them. */
export function valueChecks({ checks }: RuleFields): readonly Keyed<CheckFields>[] {
  return checks.filter(({ type }) => hasValue(type));
}

/** What a list of choices has for a check. */
export function checkLabel(check: CheckFields): string {
  return nameOfCheck(check);
}

/** Without what points at a check that is gone, or has no value any more. */
export function withChecks(
  fields: RuleFields,
  checks: readonly Keyed<CheckFields>[],
): Partial<RuleFields> {
  const isThere = (key: string | number | undefined) =>
    typeof key !== "number" || checks.some((it) => it.key === key && hasValue(it.type));
  return {
    checks,
    unique: isThere(fields.unique) ? fields.unique : undefined,
    hostSource: isThere(fields.hostSource) ? fields.hostSource : BY_DNS,
    nameSource: isThere(fields.nameSource) ? fields.nameSource : UNNAMED,
  };
}

/** Only what the type has; what is left out of a check that is there stays as it was. */
function contentOf(it: CheckFields): Readonly<Record<string, string>> {
  if (it.type === PING) return { allow_redirect: it.allow_redirect };
  const ports = it.ports.trim();
  if (it.type === AGENT) return { ports, key_: it.key_.trim() };
  if (!isSnmp(it.type)) return { ports };
  const asked = { ports, key_: it.key_.trim() };
  if (it.type !== SNMP_V3) return { ...asked, snmp_community: it.snmp_community };
  const level = it.snmpv3_securitylevel;
  return {
    ...asked,
    snmpv3_securityname: it.snmpv3_securityname,
    snmpv3_contextname: it.snmpv3_contextname,
    snmpv3_securitylevel: level,
    ...(level === "0"
      ? {}
      : {
          snmpv3_authprotocol: it.snmpv3_authprotocol,
          snmpv3_authpassphrase: it.snmpv3_authpassphrase,
        }),
    ...(level === "2"
      ? {
          snmpv3_privprotocol: it.snmpv3_privprotocol,
          snmpv3_privpassphrase: it.snmpv3_privpassphrase,
        }
      : {}),
  };
}

export function draftOf(fields: RuleFields): NetworkRuleDraft {
  const source = (of: string | number, key: number, others: string) => {
    if (typeof of === "string") return of;
    return of === key ? BY_VALUE : others;
  };
  return {
    name: fields.name.trim(),
    iprange: fields.iprange.trim(),
    delay: fields.delay.trim(),
    status: fields.enabled ? "0" : "1",
    concurrency_max: fields.concurrency_max.trim(),
    dchecks: fields.checks.map((it) => ({
      ...(it.dcheckid === "" ? {} : { dcheckid: it.dcheckid }),
      type: it.type,
      ...contentOf(it),
      uniq: fields.unique === it.key ? "1" : "0",
      host_source: source(fields.hostSource, it.key, BY_DNS),
      name_source: source(fields.nameSource, it.key, UNNAMED),
    })),
  };
}

// ---- checks

export function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export function checkRange(text: string): Check {
  return text.trim() === "" ? bad(t("an address or a range is required"), 0) : OK;
}

const WEEK = 7 * 86_400;

export function checkDelay(text: string): Check {
  const form = checkPeriod(text);
  if (!form.ok) return form;
  const seconds = intervalSeconds(text);
  return seconds === undefined || (seconds >= 1 && seconds <= WEEK)
    ? OK
    : bad(t("1 s to 1 week"), 0);
}

export function checkConcurrency(text: string): Check {
  return /^\d{1,3}$/.test(text.trim()) ? OK : bad(t("0 to 999; 0: unlimited"), 0);
}

const PORTS = /^\s*\d{1,5}(\s*-\s*\d{1,5})?(\s*,\s*\d{1,5}(\s*-\s*\d{1,5})?)*\s*$/;

/** Why a check is not complete. */
export function checkError(it: CheckFields): string | undefined {
  if (it.type === PING) return undefined;
  if (!PORTS.test(it.ports)) return t("a port or a range of ports is required");
  if (it.type === AGENT) {
    if (it.key_.trim() === "") return t("a key is required");
    const key = checkItemKey(it.key_.trim());
    return key.ok ? undefined : key.message;
  }
  if (!isSnmp(it.type)) return undefined;
  if (it.key_.trim() === "") return t("an OID is required");
  if (it.type !== SNMP_V3) {
    return it.snmp_community === "" ? t("a community is required") : undefined;
  }
  return it.snmpv3_securityname.trim() === "" ? t("a user is required") : undefined;
}

export function isComplete(fields: RuleFields): boolean {
  return (
    checkName(fields.name).ok &&
    checkRange(fields.iprange).ok &&
    checkDelay(fields.delay).ok &&
    checkConcurrency(fields.concurrency_max).ok &&
    fields.checks.length > 0 &&
    fields.checks.every((it) => checkError(it) === undefined)
  );
}
