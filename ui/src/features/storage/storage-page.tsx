// What history takes on the disk, for how long it is kept, and when there is no more room.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { keys } from "@/api/query-keys";
import {
  fetchLargest,
  fetchStorage,
  type Largest,
  type LargestHost,
  type LargestItem,
  type Storage,
  type StorageClass,
} from "@/api/storage";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { formatBytes, formatCount, formatNumber } from "@/lib/units";
import { chartColor } from "@/ui/charts/plot-options";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import classes from "./storage.module.css";
import { bytesAValue, className, forecastText } from "./words";

const REFRESH_MS = 60_000;
const LARGEST_MS = 600_000;

export function StoragePage() {
  const query = useQuery({
    queryKey: keys.storage,
    queryFn: ({ signal }) => fetchStorage(signal),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={t("Storage")} scroll>
      <QueryGate query={query}>{(storage) => <Content storage={storage} />}</QueryGate>
    </Page>
  );
}

function Content({ storage }: { readonly storage: Storage }) {
  return (
    <div className={classes["content"]}>
      {storage.keeps_history ? null : (
        <p className={classes["note"]} role="note">
          {t("History is stored only in {stores}. The space used there is not known.", {
            stores: storage.stores.map((it) => it.name).join(", "),
          })}
        </p>
      )}
      <Figures storage={storage} />
      <Classes storage={storage} />
      <LargestTables />
    </div>
  );
}

function Figures({ storage }: { readonly storage: Storage }) {
  const { values, trends, disk, database, retention } = storage;
  const days = (seconds: number | null) =>
    seconds === null ? t("as set in items") : t("{n} days for all items", { n: seconds / 86_400 });
  const known = (bytes: number | null) => (bytes === null ? t("not known") : formatBytes(bytes));
  return (
    <dl className={classes["figures"]}>
      <Figure name={t("Values")} note={t("{n} values", { n: formatCount(values.count) })}>
        {formatBytes(values.bytes)}
      </Figure>
      <Figure name={t("Bytes per value")} note={t("in {n} files", { n: storage.files })}>
        {bytesAValue(values)}
      </Figure>
      <Figure name={t("Trends")} note={t("{n} hours", { n: formatCount(trends.count) })}>
        {formatBytes(trends.bytes)}
      </Figure>
      <Figure name={t("Journal")} note={t("including data not yet in files")}>
        {formatBytes(storage.journal_bytes)}
      </Figure>
      <Figure name={t("Configuration, events")} note={database.kind}>
        {known(database.bytes)}
      </Figure>
      <Figure
        name={t("Free space")}
        note={disk === null ? "" : t("of {total}", { total: formatBytes(disk.total_bytes) })}
      >
        {known(disk?.free_bytes ?? null)}
      </Figure>
      <Figure name={t("Disk budget")} note={t("history.disk_budget_bytes, for values and trends")}>
        {storage.budget_bytes === null ? t("none") : formatBytes(storage.budget_bytes)}
      </Figure>
      <Figure name={t("Forecast")} note={forecastText(storage.forecast).note}>
        {forecastText(storage.forecast).name}
      </Figure>
      <Figure
        name={t("History is kept")}
        note={retention.expires_history ? "" : t("old values are not deleted")}
      >
        {days(retention.history_s)}
      </Figure>
      <Figure
        name={t("Trends are kept")}
        note={retention.expires_trends ? "" : t("old trends are not deleted")}
      >
        {days(retention.trends_s)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly note: string;
  readonly children: ReactNode;
}

function Figure({ name, note, children }: FigureProps) {
  return (
    <div className={classes["figure"]}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd className={classes["figureNote"]}>{note}</dd>
    </div>
  );
}

function Classes({ storage }: { readonly storage: Storage }) {
  const { classes: kept, days } = storage;
  if (kept.length === 0) {
    return <EmptyState title={t("No history files yet. Recent values are in the journal.")} />;
  }
  const most = Math.max(1, ...days.map(({ bytes }) => bytes.reduce((a, b) => a + b, 0)));
  return (
    <section className={classes["section"]} aria-label={t("By retention class")}>
      <h2>{t("By retention class")}</h2>
      <table className={classes["classes"]}>
        <thead>
          <tr>
            <th scope="col">{t("Class")}</th>
            <th scope="col">{t("Bytes")}</th>
            <th scope="col">{t("Values or hours")}</th>
            <th scope="col">{t("Bytes per day")}</th>
            <th scope="col">{t("Oldest")}</th>
          </tr>
        </thead>
        <tbody>
          {kept.map((it, at) => (
            <ClassRow key={className(it)} row={it} color={chartColor(at)} />
          ))}
        </tbody>
      </table>
      <h2>{t("Bytes per day")}</h2>
      <div className={classes["days"]} role="img" aria-label={t("Bytes of the last 14 days")}>
        {days.map(({ clock, bytes }) => {
          const sum = bytes.reduce((a, b) => a + b, 0);
          const day = formatDateTime(clock + 43_200).slice(0, 10);
          return (
            <div key={clock} className={classes["day"]} title={`${day}: ${formatBytes(sum)}`}>
              <div className={classes["bar"]}>
                {bytes.map((n, at) => (
                  <i
                    key={className(kept[at])}
                    style={{ height: `${(n / most) * 100}%`, background: chartColor(at) }}
                  />
                ))}
              </div>
              <span>{day.slice(5)}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}

function ClassRow({ row, color }: { readonly row: StorageClass; readonly color: string }) {
  return (
    <tr>
      <th scope="row">
        <i style={{ background: color }} />
        {className(row)}
      </th>
      <td>{formatBytes(row.bytes)}</td>
      <td>{formatCount(row.count)}</td>
      <td>{row.bytes_per_day === null ? t("not known yet") : formatBytes(row.bytes_per_day)}</td>
      <td>{row.oldest === null ? "" : formatDateTime(row.oldest)}</td>
    </tr>
  );
}

function LargestTables() {
  const query = useQuery({
    queryKey: keys.storageLargest,
    queryFn: ({ signal }) => fetchLargest(signal),
    staleTime: LARGEST_MS,
  });
  return <QueryGate query={query}>{(largest) => <LargestLists largest={largest} />}</QueryGate>;
}

function LargestLists({ largest }: { readonly largest: Largest }) {
  const empty = <EmptyState title={t("No data in files yet.")} />;
  const seen = t("Counted in {seen} of {all} at {time}{about}", {
    seen: formatBytes(largest.seen_bytes),
    all: formatBytes(largest.all_bytes),
    time: formatDateTime(largest.clock),
    about: largest.is_exact ? "" : t(", approximate"),
  });
  return (
    <section className={classes["section"]} aria-label={t("Largest items and hosts")}>
      <p className="dim">{seen}</p>
      <div className={classes["lists"]}>
        <div className={classes["list"]}>
          <h2>{t("Largest items")}</h2>
          <DataTable
            label={t("Largest items")}
            rows={largest.items}
            columns={ITEM_COLUMNS}
            rowKey={(item) => item.itemid}
            empty={empty}
          />
        </div>
        <div className={classes["list"]}>
          <h2>{t("Largest hosts")}</h2>
          <DataTable
            label={t("Largest hosts")}
            rows={largest.hosts}
            columns={HOST_COLUMNS}
            rowKey={(host) => host.hostid}
            keyboard={false}
            empty={empty}
          />
        </div>
      </div>
    </section>
  );
}

const ITEM_COLUMNS: readonly DataColumn<LargestItem>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(120px, 2fr)",
    sortValue: (item) => item.name,
    cell: ({ name, key }) => (
      <span className="ellipsis" title={key}>
        {name}
      </span>
    ),
  },
  {
    id: "host",
    title: t("Host"),
    width: "minmax(90px, 1fr)",
    sortValue: (item) => item.host,
    cell: ({ host, hostid }) => <HostLink hostid={hostid} name={host} />,
  },
  {
    id: "bytes",
    title: t("Bytes"),
    width: "90px",
    sortValue: (item) => item.bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
];

const HOST_COLUMNS: readonly DataColumn<LargestHost>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(120px, 1fr)",
    sortValue: (host) => host.name,
    cell: ({ name, hostid }) => <HostLink hostid={hostid} name={name} />,
  },
  {
    id: "items",
    title: t("Items"),
    width: "80px",
    sortValue: (host) => host.items,
    cell: ({ items }) => formatNumber(items),
  },
  {
    id: "bytes",
    title: t("Bytes"),
    width: "90px",
    sortValue: (host) => host.bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
];

function HostLink({ hostid, name }: { readonly hostid: string; readonly name: string }) {
  return (
    <Link className="ellipsis" to="/hosts/$hostid" params={{ hostid }}>
      {name}
    </Link>
  );
}
