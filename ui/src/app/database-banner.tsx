// One quiet line above every page while the database does not work: what goes on, what does not, since when.

import { IconDatabaseOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { fetchAbsence } from "@/api/health";
import { keys } from "@/api/query-keys";
import { t } from "@/lib/i18n";
import { Instant } from "@/ui/times";
import classes from "./shell.module.css";

// soon enough for a person who wonders why a form is not saved
const LOOK_MS = 5000;

export function DatabaseBanner() {
  const { data: absence } = useQuery({
    queryKey: keys.databaseAbsence,
    queryFn: ({ signal }) => fetchAbsence(signal),
    refetchInterval: LOOK_MS,
  });
  // a server that does not respond at all is reported elsewhere
  if (absence === undefined || absence === null) return null;
  const text = absence.readable
    ? t("Changes cannot be saved: the database rejects writes.")
    : t("The database does not answer. Values and problems are current; changes cannot be saved.");
  return (
    <div role="status" className={classes["banner"]}>
      <IconDatabaseOff size={16} aria-hidden />
      <span>{text}</span>
      <span className="dim">
        {t("Since")} <Instant seconds={absence.since} />
      </span>
    </div>
  );
}
