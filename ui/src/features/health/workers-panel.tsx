// The workers of the server: a row for each.

import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { fetchWorkers, type Worker } from "@/api/workers";
import { t } from "@/lib/i18n";
import { formatCount } from "@/lib/units";
import { Panel } from "@/ui/page";
import { FailedState } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import { Instant } from "@/ui/times";
import { byNeed, workerState } from "./worker-state";
import classes from "./workers-panel.module.css";

const REFRESH_MS = 5_000;

export function WorkersPanel() {
  const query = useQuery({
    queryKey: keys.workers,
    queryFn: ({ signal }) => fetchWorkers(signal),
    refetchInterval: REFRESH_MS,
  });
  if (query.data === undefined) {
    return query.error === null ? null : (
      <FailedState error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <Panel title={t("Workers")} label={t("Workers")}>
      <div className={classes["scroll"]}>
        <table className={classes["workers"]}>
          <thead>
            <tr>
              <th scope="col">{t("Name")}</th>
              <th scope="col">{t("Task")}</th>
              <th scope="col">{t("Woken by")}</th>
              <th scope="col">{t("Last run")}</th>
              <th scope="col" className={classes["count"]}>
                {t("Runs")}
              </th>
              <th scope="col" className={classes["count"]}>
                {t("Failures")}
              </th>
              <th scope="col" className={classes["count"]}>
                {t("Quarantined")}
              </th>
              <th scope="col">{t("State")}</th>
            </tr>
          </thead>
          <tbody>
            {byNeed(query.data).map((worker) => (
              <WorkerRow key={worker.name} worker={worker} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function WorkerRow({ worker }: { readonly worker: Worker }) {
  const { tone, text } = workerState(worker);
  return (
    <tr>
      <th scope="row" title={t("thread {name}", { name: worker.thread })}>
        {worker.name}
      </th>
      <td>{worker.job}</td>
      <td>{worker.woken_by}</td>
      <td>
        <Instant seconds={worker.last_turn ?? 0} />
      </td>
      <Count n={worker.turns} />
      <Count n={worker.failures} />
      <Count n={worker.put_aside} />
      <td>
        <span className={classes["state"]}>
          <StatusDot tone={tone} label={text} /> {text}
        </span>
        {worker.failing === null ? null : (
          <p className={classes["why"]}>
            <Instant seconds={worker.failing.since} /> {worker.failing.message}
          </p>
        )}
      </td>
    </tr>
  );
}

function Count({ n }: { readonly n: number }) {
  return <td className={`num ${classes["count"]}`}>{formatCount(n)}</td>;
}
