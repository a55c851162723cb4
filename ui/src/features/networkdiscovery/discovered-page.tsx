// What network discovery has found: devices with their services, up or down, and since when.

import { Select } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { plural, t } from "@/lib/i18n";
import { formatAge, formatDateTime, nowSeconds } from "@/lib/time";
import { wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { type Device, type DeviceService, devicesOf } from "./devices";
import classes from "./networkdiscovery.module.css";
import { useDiscovered, useNetworkRules } from "./queries";

export interface DiscoveredFilter {
  readonly text: string;
  /** undefined: all rules */
  readonly rule: string | undefined;
  /** "0" up, "1" down; undefined: both */
  readonly status: string | undefined;
}

export interface DiscoveredPageProps {
  readonly filter: DiscoveredFilter;
  readonly onFilter: (filter: DiscoveredFilter) => void;
}

export function DiscoveredPage({ filter, onFilter }: DiscoveredPageProps) {
  const rules = useNetworkRules();
  const query = useDiscovered(filter.rule);
  const rows = useMemo(() => {
    const matches = wordMatcher(filter.text);
    const { hosts = [], services = [] } = query.data ?? {};
    return devicesOf(hosts, services, rules.data ?? []).filter(
      (it) =>
        (filter.status === undefined || it.isUp === (filter.status === "0")) &&
        matches(() => [
          it.rule,
          it.dns,
          ...it.addresses,
          ...it.hosts.map(({ name }) => name),
          ...it.services.flatMap(({ name, value }) => [name, value]),
        ]),
    );
  }, [query.data, rules.data, filter.text, filter.status]);
  return (
    <Page
      title={t("Discovered devices")}
      note={plural(rows.length, "1 device", "{n} devices")}
      filters={
        <>
          <SearchBox
            value={filter.text}
            onChange={(text) => onFilter({ ...filter, text })}
            placeholder={t("Search addresses, names and values")}
            width={280}
          />
          <Select
            aria-label={t("Network discovery rule")}
            placeholder={t("All rules")}
            data={(rules.data ?? []).map(({ druleid, name }) => ({ value: druleid, label: name }))}
            value={filter.rule ?? null}
            clearable
            searchable
            onChange={(rule) => onFilter({ ...filter, rule: rule ?? undefined })}
          />
          <Select
            aria-label={t("Status")}
            placeholder={t("Up and down")}
            data={[
              { value: "0", label: t("Up") },
              { value: "1", label: t("Down") },
            ]}
            value={filter.status ?? null}
            clearable
            onChange={(status) => onFilter({ ...filter, status: status ?? undefined })}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {({ hosts }) => (
          <DataTable
            label={t("Discovered devices")}
            rows={rows}
            columns={COLUMNS}
            rowKey={({ id }) => id}
            isDimmed={({ isUp }) => !isUp}
            empty={
              <EmptyState
                title={
                  hosts.length === 0 ? t("No device has been found yet.") : t("No device matches.")
                }
              >
                {hosts.length === 0 ? (
                  <Link to="/network-discovery">{t("Network discovery rules")}</Link>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function serviceText({ name, value, ip, isUp, since }: DeviceService): string {
  const time = formatDateTime(since);
  const state = isUp ? t("up since {time}", { time }) : t("down since {time}", { time });
  return [`${name} (${ip})`, value, state].filter((it) => it !== "").join("\n");
}

const COLUMNS: readonly DataColumn<Device>[] = [
  {
    id: "device",
    title: t("Device"),
    width: "minmax(150px, 1fr)",
    sortValue: ({ addresses }) => addresses[0] ?? "",
    cell: ({ addresses, dns }) => (
      <span className="ellipsis" title={[...addresses, dns].join("\n")}>
        {addresses.join(", ")}
        {dns === "" ? "" : ` (${dns})`}
      </span>
    ),
  },
  {
    id: "status",
    title: t("Status"),
    width: "96px",
    sortValue: ({ isUp }) => (isUp ? 1 : 0),
    cell: ({ isUp }) => (
      <span className={isUp ? classes["up"] : classes["down"]}>{isUp ? t("Up") : t("Down")}</span>
    ),
  },
  {
    id: "since",
    title: t("For"),
    width: "110px",
    sortValue: ({ since }) => since,
    cell: ({ since }) => (
      <span title={formatDateTime(since)}>{formatAge(Math.max(nowSeconds() - since, 0))}</span>
    ),
  },
  {
    id: "services",
    title: t("Services"),
    width: "minmax(200px, 2fr)",
    cell: ({ services }) => (
      <span className={classes["services"]}>
        {services.map((it) => (
          <span
            key={it.id}
            className={it.isUp ? classes["up"] : classes["down"]}
            title={serviceText(it)}
          >
            {it.isUp ? it.name : t("{name} down", { name: it.name })}
          </span>
        ))}
      </span>
    ),
  },
  {
    id: "hosts",
    title: t("Host"),
    width: "minmax(100px, 0.8fr)",
    sortValue: ({ hosts }) => hosts[0]?.name ?? "",
    cell: ({ hosts }) => (
      <span className="ellipsis">
        {hosts.map(({ hostid, name }, at) => (
          <span key={hostid}>
            {at === 0 ? "" : ", "}
            <Link to="/hosts/$hostid" params={{ hostid }}>
              {name}
            </Link>
          </span>
        ))}
      </span>
    ),
  },
  {
    id: "rule",
    title: t("Rule"),
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    sortValue: ({ rule }) => rule,
    cell: ({ rule }) => <span className="ellipsis">{rule}</span>,
  },
];
