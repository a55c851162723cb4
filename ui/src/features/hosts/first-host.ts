// The first machine or device: what is typed, the commands that it needs, and the host that is made of it.

import type { HostCreate } from "@/api/generated/host";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import {
  type InterfaceDraft,
  interfaceError,
  newInterface,
  toInterface,
} from "@/widgets/interfaces/interface-draft";

export type FirstKind = "agent" | "snmp";

export interface FirstFields {
  readonly name: string;
  readonly groupids: readonly Id[];
  readonly templateids: readonly Id[];
  readonly at: InterfaceDraft;
}

export function firstFields(kind: FirstKind): FirstFields {
  const at = { ...newInterface(kind === "agent" ? "1" : "2", true), ip: "" };
  const snmp = { ...at.snmp, community: "public" };
  return { name: "", groupids: [], templateids: [], at: { ...at, snmp } };
}

/** Names of bundled templates that fit, the best first. */
export const FITTING: Readonly<Record<FirstKind, readonly string[]>> = {
  agent: ["Linux by agent", "Linux by Zabbix agent"],
  snmp: ["Generic SNMP", "Network Generic Device by SNMP"],
};

export function fittingTemplate(
  kind: FirstKind,
  templates: readonly { readonly templateid: Id; readonly name: string }[],
): Id | undefined {
  for (const name of FITTING[kind]) {
    const found = templates.find((it) => it.name === name);
    if (found !== undefined) return found.templateid;
  }
  return undefined;
}

/** An address is an IP, or else a name that is looked up. */
export function withAddress(at: InterfaceDraft, address: string): InterfaceDraft {
  const isIp = /^[\d.]+$/.test(address.trim()) || address.includes(":") || address === "";
  return { ...at, useip: isIp, ip: isIp ? address : "", dns: isIp ? "" : address };
}

export function addressOf({ useip, ip, dns }: InterfaceDraft): string {
  return useip ? ip : dns;
}

/** What is missing; undefined when it can be tried. */
export function firstError(fields: FirstFields): string | undefined {
  if (fields.name.trim() === "") return t("a name is required");
  if (fields.groupids.length === 0) return t("a group is required");
  return interfaceError(fields.at);
}

export function firstHost(
  { name, groupids, at }: FirstFields,
  templateids: readonly Id[],
): HostCreate {
  return {
    host: name.trim(),
    groups: groupids.map((groupid) => ({ groupid })),
    interfaces: [toInterface(at)],
    templates: templateids.map((templateid) => ({ templateid })),
  };
}

export interface AgentCommands {
  readonly id: string;
  readonly name: string;
  readonly lines: string;
}

/** What is typed on the machine: the server by its address, the host by its name. */
export function agentCommands(server: string, name: string): readonly AgentCommands[] {
  const host = name.trim() === "" ? "NAME_OF_THE_HOST" : name.trim();
  const settings = (file: string) =>
    [
      `sudo sed -i -e 's/^Server=.*/Server=${server}/' -e 's/^ServerActive=.*/ServerActive=${server}/' \\`,
      `  -e 's/^Hostname=.*/Hostname=${host}/' ${file}`,
    ].join("\n");
  return [
    {
      id: "saker",
      name: "saker agent",
      lines: [
        "# copy the program saker to the machine, then",
        `saker agent --passive-listen 0.0.0.0:10050 --passive-servers ${server} \\`,
        `  --active-servers ${server} --hostname "${host}"`,
      ].join("\n"),
    },
    {
      id: "agent2",
      name: "Zabbix agent 2",
      lines: [
        "sudo apt-get install zabbix-agent2",
        settings("/etc/zabbix/zabbix_agent2.conf"),
        "sudo systemctl restart zabbix-agent2",
      ].join("\n"),
    },
    {
      id: "agentd",
      name: "Zabbix agent",
      lines: [
        "sudo apt-get install zabbix-agent",
        settings("/etc/zabbix/zabbix_agentd.conf"),
        "sudo systemctl restart zabbix-agent",
      ].join("\n"),
    },
  ];
}
