// Messages and commands created by actions, the newest first; or those in one digest.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Alert, fetchAlerts } from "@/api/alerts";
import { keys } from "@/api/query-keys";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import type { DataColumn } from "@/ui/data-table";
import { ObjectList } from "@/widgets/objects/object-list";

/** As many as a person looks through. */
const LIMIT = 1_000;

interface AlertsPageProps {
  /** `undefined`: all messages */
  readonly digestid: string | undefined;
}

export function AlertsPage({ digestid }: AlertsPageProps) {
  const query = useQuery({
    queryKey: keys.alerts(digestid),
    queryFn: ({ signal }) => fetchAlerts(LIMIT, digestid, signal),
  });
  const note =
    digestid === undefined
      ? t("the newest {n}", { n: LIMIT })
      : t("in digest {id}", { id: digestid });
  return (
    <ObjectList
      title={t("Messages sent")}
      note={() => note}
      query={query}
      select={(all) => all}
      columns={COLUMNS}
      rowKey={({ alertid }) => alertid}
      filters={digestid === undefined ? undefined : <Link to="/alerts">{t("All messages")}</Link>}
      none={t("No action has created a message yet.")}
      first={<Link to="/actions">{t("Actions")}</Link>}
    />
  );
}

const STATUS = [t("Not sent yet"), t("Sent"), t("Failed"), t("New")] as const;

function statusOf(it: Alert): string {
  if (it.held_until !== "0") return t("Held");
  if (it.status === "1" && it.alerttype === "1") return t("Executed");
  return STATUS[Number(it.status)] ?? t("New");
}

function waitsUntil(it: Alert): string | undefined {
  if (it.held_until === "0") return undefined;
  return t("held until {time}", { time: formatDateTime(Number(it.held_until)) });
}

/** What a message has to do with a digest. */
function digestText(it: Alert): string {
  if (it.digestid === "0") return "";
  return it.digestid === it.alertid ? t("is a digest") : t("in {id}", { id: it.digestid });
}

const COLUMNS: readonly DataColumn<Alert>[] = [
  {
    id: "clock",
    title: t("Time"),
    width: "170px",
    sortValue: (it) => Number(it.alertid),
    cell: (it) => (
      <Link to="/events/$eventid" params={{ eventid: it.eventid }} data-opens-row>
        {formatDateTime(Number(it.clock))}
      </Link>
    ),
  },
  {
    id: "status",
    title: t("Status"),
    width: "110px",
    sortValue: statusOf,
    cell: (it) => (
      <span className={it.status === "2" ? "bad" : ""} title={waitsUntil(it)}>
        {statusOf(it)}
      </span>
    ),
  },
  {
    id: "type",
    title: t("Media type"),
    width: "minmax(110px, 0.6fr)",
    sortValue: (it) => it.mediatypes[0]?.name ?? "",
    cell: (it) => (
      <span className="ellipsis">
        {it.alerttype === "1" ? t("Command") : (it.mediatypes[0]?.name ?? "")}
      </span>
    ),
  },
  {
    id: "sendto",
    title: t("Recipient"),
    width: "minmax(140px, 1fr)",
    sortValue: (it) => it.sendto,
    cell: (it) => (
      <span className="ellipsis" title={it.sendto}>
        {[it.users[0]?.username, it.sendto].filter((part) => (part ?? "") !== "").join(" · ")}
      </span>
    ),
  },
  {
    id: "subject",
    title: t("Message"),
    width: "minmax(180px, 1.6fr)",
    sortValue: (it) => it.subject,
    cell: (it) => (
      <span className="ellipsis" title={it.message}>
        {it.subject === "" ? it.message : it.subject}
      </span>
    ),
  },
  {
    id: "digest",
    title: t("Digest"),
    width: "110px",
    sortValue: digestText,
    cell: (it) =>
      it.digestid === "0" ? null : (
        <Link to="/alerts" search={{ digest: it.digestid }}>
          {digestText(it)}
        </Link>
      ),
  },
  {
    id: "error",
    title: t("Error"),
    width: "minmax(140px, 1.2fr)",
    cell: (it) => (
      <span className="ellipsis" title={it.error}>
        {it.error}
      </span>
    ),
  },
];
