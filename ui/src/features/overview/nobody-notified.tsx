// Warns that nobody is notified of problems, with the missing steps; a new server begins so.

import { Alert } from "@mantine/core";
import { IconBellOff, IconCircle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { keys } from "@/api/query-keys";
import { fetchRecipientsCheck } from "@/api/recipients-check";
import { t } from "@/lib/i18n";
import classes from "./overview.module.css";

// others may have made what was missing
const RECIPIENTS_CHECK_MS = 60_000;

export function NobodyNotified() {
  const { data } = useQuery({
    queryKey: keys.recipientsCheck,
    queryFn: ({ signal }) => fetchRecipientsCheck(signal),
    refetchInterval: RECIPIENTS_CHECK_MS,
  });
  // while it is not known nothing is said: the problems are what one came for
  if (data === undefined || data.isAnybodyNotified) return null;
  return (
    <Alert
      className={classes["nobody"] ?? ""}
      variant="default"
      icon={<IconBellOff size={16} className="bad" aria-hidden />}
      title={t(
        "No notifications are sent for problems: no enabled action has a recipient that can be reached.",
      )}
    >
      <ul className={classes["steps"]} aria-label={t("Required for notifications")}>
        <Step isDone={data.hasMediaType} done={t("a media type is enabled")}>
          <Link to="/mediatypes">{t("Enable a media type")}</Link>
        </Step>
        <Step isDone={data.hasAddress} done={t("a recipient has media of this type")}>
          <Link to="/media">{t("Add media to your profile")}</Link>
        </Step>
        <Step isDone={data.hasAction} done={t("an action is enabled")}>
          <Link to="/actions">{t("Enable an action")}</Link>
        </Step>
      </ul>
    </Alert>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly done: string;
  readonly children: ReactNode;
}

function Step({ isDone, done, children }: StepProps) {
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <li>
      <Icon size={14} className={isDone ? "ok" : "dim"} aria-hidden />
      {isDone ? done : children}
    </li>
  );
}
