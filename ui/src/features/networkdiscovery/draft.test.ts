import { describe, expect, it } from "vitest";
import type { NetworkCheck, NetworkRule } from "@/api/network-discovery";
import {
  type CheckFields,
  checkConcurrency,
  checkDelay,
  checkError,
  draftOf,
  fieldsOf,
  isComplete,
  newCheck,
  valueChecks,
  withChecks,
} from "./draft";

function check(change: Partial<NetworkCheck>): NetworkCheck {
  const { key: _, ...fields } = newCheck("12");
  return { ...fields, uniq: "0", host_source: "1", name_source: "0", ...change };
}

const RULE: NetworkRule = {
  druleid: "7",
  name: "Office",
  iprange: "192.0.2.1-99",
  delay: "30m",
  status: "1",
  concurrency_max: "10",
  error: "",
  dchecks: [
    check({ dcheckid: "1", type: "12", allow_redirect: "1", name_source: "0" }),
    check({
      dcheckid: "2",
      type: "9",
      ports: "10050",
      key_: "agent.hostname",
      uniq: "1",
      host_source: "3",
    }),
    check({ dcheckid: "3", type: "11", ports: "161", key_: "1.3.6", snmp_community: "public" }),
  ],
};

function fields(change: Partial<CheckFields>): CheckFields {
  return { ...newCheck("12"), ...change };
}

describe("a rule of network discovery while it is edited", () => {
  it("is saved as it was read, of checks what their types have", () => {
    const draft = draftOf(fieldsOf(RULE));
    expect(draft).toEqual({
      name: "Office",
      iprange: "192.0.2.1-99",
      delay: "30m",
      status: "1",
      concurrency_max: "10",
      dchecks: [
        {
          dcheckid: "1",
          type: "12",
          allow_redirect: "1",
          uniq: "0",
          host_source: "1",
          name_source: "0",
        },
        {
          dcheckid: "2",
          type: "9",
          ports: "10050",
          key_: "agent.hostname",
          uniq: "1",
          host_source: "3",
          name_source: "0",
        },
        {
          dcheckid: "3",
          type: "11",
          ports: "161",
          key_: "1.3.6",
          snmp_community: "public",
          uniq: "0",
          host_source: "1",
          name_source: "0",
        },
      ],
    });
    expect(isComplete(fieldsOf(RULE))).toBe(true);
  });

  it("names devices by one way for all checks, or by the value of one", () => {
    const read = fieldsOf(RULE);
    const [, , snmp] = read.checks;
    const sources = (hostSource: string | number, nameSource: string | number) =>
      draftOf({ ...read, hostSource, nameSource }).dchecks.map((it) => [
        it.host_source,
        it.name_source,
      ]);
    expect(sources("2", "1")).toEqual([
      ["2", "1"],
      ["2", "1"],
      ["2", "1"],
    ]);
    expect(sources("2", snmp?.key ?? 0)).toEqual([
      ["2", "0"],
      ["2", "0"],
      ["2", "3"],
    ]);
  });

  it("forgets what points at a check that is gone or has no value any more", () => {
    const read = fieldsOf(RULE);
    const [ping, agent, snmp] = read.checks;
    if (ping === undefined || agent === undefined || snmp === undefined) throw new Error("checks");
    expect(read.unique).toBe(agent.key);
    expect(read.hostSource).toBe(agent.key);
    expect(valueChecks(read)).toEqual([agent, snmp]);
    expect(withChecks(read, [ping, snmp])).toMatchObject({ unique: undefined, hostSource: "1" });
    const changed = { ...agent, type: "8" };
    expect(withChecks(read, [changed])).toMatchObject({ unique: undefined, hostSource: "1" });
    expect(withChecks(read, [agent])).toMatchObject({ unique: agent.key, hostSource: agent.key });
  });

  it("sends of SNMPv3 what the level has", () => {
    const secret = {
      type: "13",
      ports: "161",
      key_: "1.3",
      snmpv3_securityname: "reader",
      snmpv3_authpassphrase: "a",
      snmpv3_privpassphrase: "p",
    };
    const sent = (level: string) =>
      Object.keys(
        draftOf({
          ...fieldsOf(RULE),
          checks: [{ ...fields({ ...secret, snmpv3_securitylevel: level }), key: 1 }],
        }).dchecks[0] ?? {},
      ).filter((name) => name.endsWith("passphrase"));
    expect(["0", "1", "2"].map(sent)).toEqual([
      [],
      ["snmpv3_authpassphrase"],
      ["snmpv3_authpassphrase", "snmpv3_privpassphrase"],
    ]);
  });

  it("says what is missing", () => {
    expect(isComplete(fieldsOf(undefined))).toBe(false);
    expect(isComplete({ ...fieldsOf(RULE), checks: [] })).toBe(false);
    expect(checkError(fields({}))).toBeUndefined();
    expect(checkError(fields({ type: "8", ports: "80, 8000-8010" }))).toBeUndefined();
    expect(checkError(fields({ type: "8", ports: "http" }))).toMatch(/port/);
    expect(checkError(fields({ type: "9", ports: "10050" }))).toBe("a key is required");
    expect(checkError(fields({ type: "10", ports: "161" }))).toBe("an OID is required");
    expect(checkError(fields({ type: "11", ports: "161", key_: "1.3" }))).toMatch(/community/);
    expect(checkError(fields({ type: "13", ports: "161", key_: "1.3" }))).toBe(
      "a user is required",
    );
    expect(["1s", "1w", "{$D}"].map((it) => checkDelay(it).ok)).toEqual([true, true, true]);
    expect(["0", "8d", "soon"].map((it) => checkDelay(it).ok)).toEqual([false, false, false]);
    expect(["0", "999", "1000", "-1"].map((it) => checkConcurrency(it).ok)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
