// Availability of interfaces as small marks with the reason in the tooltip.

import { Tooltip } from "@mantine/core";
import type { HostInterface, HostRow } from "@/api/types";
import { t } from "@/lib/i18n";
import classes from "./hosts.module.css";

export type Availability = "available" | "unavailable" | "unknown";

const KINDS: Readonly<Record<string, string>> = {
  "1": "ZBX",
  "2": "SNMP",
  "3": "IPMI",
  "4": "JMX",
};

const NAMES: Readonly<Record<Availability, string>> = {
  available: t("available"),
  unavailable: t("unavailable"),
  unknown: t("unknown"),
};

function availability(code: string): Availability {
  if (code === "1") return "available";
  return code === "2" ? "unavailable" : "unknown";
}

export interface KindAvailability {
  readonly kind: string;
  readonly state: Availability;
  readonly lines: readonly string[];
}

export function interfaceAddress(it: Pick<HostInterface, "useip" | "ip" | "dns" | "port">): string {
  const host = it.useip === "1" ? it.ip : it.dns;
  return host.includes(":") ? `[${host}]:${it.port}` : `${host}:${it.port}`;
}

/** One entry a kind of interface; the worst of its interfaces counts. */
export function hostAvailability(host: HostRow): KindAvailability[] {
  const kinds = new Map<string, HostInterface[]>();
  for (const it of host.interfaces) {
    const kind = KINDS[it.type] ?? "?";
    kinds.set(kind, [...(kinds.get(kind) ?? []), it]);
  }
  const entries = [...kinds].map(([kind, list]): KindAvailability => {
    const states = list.map((it) => availability(it.available));
    return {
      kind,
      state: states.includes("unavailable")
        ? "unavailable"
        : states.includes("available")
          ? "available"
          : "unknown",
      lines: list.map((it) =>
        [interfaceAddress(it), NAMES[availability(it.available)], it.error]
          .filter(Boolean)
          .join(" – "),
      ),
    };
  });
  const active = availability(host.active_available);
  if (active !== "unknown") {
    entries.push({
      kind: t("active"),
      state: active,
      lines: [t("active checks: {s}", { s: NAMES[active] })],
    });
  }
  return entries;
}

export function AvailabilityMarks({ host }: { readonly host: HostRow }) {
  return (
    <span className={classes["availability"]}>
      {hostAvailability(host).map(({ kind, state, lines }) => (
        <Tooltip key={kind} maw={460} label={lines.map((line) => <div key={line}>{line}</div>)}>
          <span className={classes["mark"]} data-state={state}>
            {kind}
            <span className="unseen"> {NAMES[state]}</span>
          </span>
        </Tooltip>
      ))}
    </span>
  );
}
