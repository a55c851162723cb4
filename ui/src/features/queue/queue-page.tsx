// Late items, by their delay and kind; the slowest and the costliest devices and items.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { keys } from "@/api/query-keys";
import {
  fetchQueue,
  type LateItem,
  type Queue,
  type QueueDevice,
  type QueueItem,
} from "@/api/queue";
import { plural, t } from "@/lib/i18n";
import { itemKindName } from "@/lib/item-types";
import { formatAge, formatDateTime } from "@/lib/time";
import { formatCount } from "@/lib/units";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import classes from "./queue.module.css";
import { className, duration, percent, weight } from "./words";

const REFRESH_MS = 5_000;
const LATEST = 500;

export function QueuePage() {
  const query = useQuery({
    queryKey: keys.queue,
    queryFn: ({ signal }) => fetchQueue(LATEST, signal),
    refetchInterval: REFRESH_MS,
  });
  const note =
    query.data === undefined
      ? undefined
      : t("{checks} delayed at {time}", {
          checks: plural(query.data.late, "1 check", "{n} checks"),
          time: formatDateTime(query.data.clock),
        });
  return (
    <Page title={t("Queue")} note={note} scroll>
      <QueryGate query={query}>{(queue) => <Content queue={queue} />}</QueryGate>
    </Page>
  );
}

function Content({ queue }: { readonly queue: Queue }) {
  const hours = queue.period_s / 3600;
  return (
    <div className={classes["content"]}>
      {queue.late === 0 ? <NothingLate queue={queue} /> : <Late queue={queue} />}
      <section className={classes["section"]} aria-label={t("Cost of checks")}>
        <p className="dim">
          {t(
            "From at most the last {n} h. The share is of the time of all conversations. The share of items is sampled.",
            { n: hours },
          )}
        </p>
        <div className={classes["lists"]}>
          <div className={classes["list"]}>
            <h2>{t("Slowest devices")}</h2>
            <DataTable
              label={t("Slowest devices")}
              rows={queue.devices}
              columns={DEVICE_COLUMNS}
              rowKey={(it) => `${it.hostid} ${it.interfaceid} ${it.collector}`}
              initialSort={{ by: "mean", descending: true }}
              keyboard={false}
              empty={<EmptyState title={t("No device was polled yet.")} />}
            />
          </div>
          <div className={classes["list"]}>
            <h2>{t("Costliest items")}</h2>
            <DataTable
              label={t("Costliest items")}
              rows={queue.items}
              columns={ITEM_COLUMNS}
              rowKey={(it) => it.itemid}
              keyboard={false}
              empty={<EmptyState title={t("No item was checked yet.")} />}
            />
          </div>
        </div>
      </section>
      <Collectors queue={queue} />
    </div>
  );
}

function NothingLate({ queue }: { readonly queue: Queue }) {
  return (
    <EmptyState title={t("No delays.")}>
      {queue.collectors.some(({ checks }) => checks > 0)
        ? t("All checks run on time.")
        : t("No checks yet. There may be no polled items.")}
    </EmptyState>
  );
}

function Late({ queue }: { readonly queue: Queue }) {
  return (
    <>
      <Kinds queue={queue} />
      <section className={classes["section"]} aria-label={t("Most delayed items")}>
        <div className={classes["list"]}>
          <h2>{t("Most delayed items")}</h2>
          <DataTable
            label={t("Most delayed items")}
            rows={queue.latest}
            columns={LATE_COLUMNS}
            rowKey={(item) => item.itemid}
          />
        </div>
      </section>
    </>
  );
}

function Kinds({ queue }: { readonly queue: Queue }) {
  const columns = queue.classes_s.map((_, at) => className(queue.classes_s, at));
  return (
    <section className={classes["section"]} aria-label={t("Delays by type")}>
      <h2>{t("Delays by type")}</h2>
      <div className={classes["wide"]}>
        <table className={classes["counts"]}>
          <thead>
            <tr>
              <th scope="col">{t("Type")}</th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queue.kinds.map(({ type, counts }) => (
              <tr key={type}>
                <th scope="row">{itemKindName(type)}</th>
                {columns.map((name, at) => {
                  const n = counts[at] ?? 0;
                  return (
                    <td key={name} data-late={n === 0 ? "none" : weight(queue.classes_s, at)}>
                      {formatCount(n)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Collectors({ queue }: { readonly queue: Queue }) {
  const busy = queue.collectors.filter((it) => it.checks > 0 || it.jobs > 0);
  if (busy.length === 0) return null;
  const whole = busy.reduce((sum, it) => sum + it.busy_s, 0);
  return (
    <section className={classes["section"]} aria-label={t("Collectors")}>
      <h2>{t("Collectors")}</h2>
      <div className={classes["wide"]}>
        <table className={classes["counts"]}>
          <thead>
            <tr>
              <th scope="col">{t("Collector")}</th>
              <th scope="col">{t("Current conversations")}</th>
              <th scope="col">{t("Limit")}</th>
              <th scope="col">{t("Checks")}</th>
              <th scope="col">{t("Timeouts")}</th>
              <th scope="col">{t("Share of time")}</th>
              <th scope="col">{t("Devices not responding")}</th>
            </tr>
          </thead>
          <tbody>
            {busy.map((it) => (
              <tr key={it.name}>
                <th scope="row">{it.name}</th>
                <td>{formatCount(it.jobs)}</td>
                <td>{formatCount(it.jobs_max)}</td>
                <td>{formatCount(it.checks)}</td>
                <td>{formatCount(it.timeouts)}</td>
                <td>{percent(whole === 0 ? 0 : it.busy_s / whole)}</td>
                <td>{formatCount(it.failing)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface Named {
  readonly name: string;
  readonly key: string;
  readonly hostid: string;
  readonly host: string;
}

function nameColumn<Row extends Named>(): DataColumn<Row> {
  return {
    id: "name",
    title: t("Name"),
    width: "minmax(110px, 2fr)",
    sortValue: (row) => row.name,
    cell: ({ name, key }) => (
      <span className="ellipsis" title={key}>
        {name}
      </span>
    ),
  };
}

function hostColumn<
  Row extends { readonly hostid: string; readonly host: string },
>(): DataColumn<Row> {
  return {
    id: "host",
    title: t("Host"),
    width: "minmax(80px, 1fr)",
    sortValue: (row) => row.host,
    cell: ({ host, hostid }) => (
      <Link className="ellipsis" to="/hosts/$hostid" params={{ hostid }}>
        {host}
      </Link>
    ),
  };
}

const LATE_COLUMNS: readonly DataColumn<LateItem>[] = [
  {
    id: "due",
    title: t("Due"),
    width: "150px",
    sortValue: (item) => item.due,
    cell: ({ due }) => formatDateTime(due),
  },
  {
    id: "delay",
    title: t("Delayed by"),
    width: "90px",
    sortValue: (item) => item.delay_s,
    cell: ({ delay_s: seconds }) => formatAge(seconds),
  },
  hostColumn<LateItem>(),
  nameColumn<LateItem>(),
  {
    id: "type",
    title: t("Type"),
    width: "minmax(80px, 130px)",
    sortValue: ({ type }) => itemKindName(type),
    cell: ({ type }) => <span className="ellipsis">{itemKindName(type)}</span>,
  },
];

const DEVICE_COLUMNS: readonly DataColumn<QueueDevice>[] = [
  hostColumn<QueueDevice>(),
  {
    id: "collector",
    title: t("Collector"),
    width: "80px",
    sortValue: (device) => device.collector,
    cell: ({ collector, address }) => (
      <span className="ellipsis" title={address}>
        {collector}
      </span>
    ),
  },
  {
    id: "mean",
    title: t("Mean"),
    width: "72px",
    sortValue: (device) => device.mean_ms,
    cell: (device) => duration(device.mean_ms),
  },
  {
    id: "max",
    title: t("Longest"),
    width: "76px",
    sortValue: (device) => device.max_ms,
    cell: (device) => <span title={device.slowest?.name}>{duration(device.max_ms)}</span>,
  },
  {
    id: "share",
    title: t("Share"),
    width: "70px",
    sortValue: (device) => device.share,
    cell: (device) => percent(device.share),
  },
  {
    id: "timeouts",
    title: t("Timeouts"),
    width: "82px",
    sortValue: (device) => device.timeouts,
    cell: (device) => formatCount(device.timeouts),
  },
];

const ITEM_COLUMNS: readonly DataColumn<QueueItem>[] = [
  nameColumn<QueueItem>(),
  hostColumn<QueueItem>(),
  {
    id: "mean",
    title: t("Mean"),
    width: "72px",
    sortValue: (item) => item.mean_ms,
    cell: (item) => duration(item.mean_ms),
  },
  {
    id: "max",
    title: t("Longest"),
    width: "76px",
    sortValue: (item) => item.max_ms,
    cell: (item) => duration(item.max_ms),
  },
  {
    id: "share",
    title: t("Share"),
    width: "70px",
    sortValue: (item) => item.share,
    cell: (item) => percent(item.share),
  },
];
