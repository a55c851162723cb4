// What an explanation says in words.

import type {
  ExplainedAction,
  ExplainedAlert,
  ExplainedCondition,
  ExplainedExpression,
  Explanation,
  Master,
} from "@/api/explain";
import { locale, t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";

export type Verdict = "yes" | "no" | "unknown";

export function verdictOf({ is_met }: Pick<ExplainedCondition, "is_met">): Verdict {
  if (is_met === null) return "unknown";
  return is_met ? "yes" : "no";
}

/** Whether an expression was true, as far as history still knows. */
export function expressionVerdict({ value }: Pick<ExplainedExpression, "value">): Verdict {
  if (value === null) return "unknown";
  return Number(value) === 0 ? "no" : "yes";
}

export function expressionTitle({ kind }: Pick<ExplainedExpression, "kind">): string {
  return kind === "recovery" ? t("Recovery expression") : t("Problem expression");
}

/** What an action did about an event, and why. */
export function actionText(action: ExplainedAction, alerts: readonly ExplainedAlert[]): string {
  const { is_met, is_enabled, fault, waits_while } = action;
  const n = alerts.filter(({ actionid }) => actionid === action.actionid).length;
  const sent =
    n === 0 ? "" : n === 1 ? t("1 message or command") : t("{n} messages or commands", { n });
  if (fault !== null) return t("matches nothing: {fault}", { fault });
  if (!is_met)
    return sent === ""
      ? t("not for this event")
      : t("conditions no longer match: {sent}", { sent });
  if (!is_enabled) return sent === "" ? t("disabled") : t("now disabled: {sent}", { sent });
  if (sent !== "") return sent;
  if (waits_while === "flapping") return t("waits while the trigger changes too often");
  if (waits_while === "suppressed") return t("waits while the problem is suppressed");
  if (waits_while === "symptom") return t("waits while the problem is a symptom");
  return t("for this event; nothing was sent");
}

/** An action is of interest first if it did something, then if it would. */
export function actionsInOrder({ actions, alerts }: Explanation): readonly ExplainedAction[] {
  const sent = new Set(alerts.map(({ actionid }) => actionid));
  const rank = (it: ExplainedAction) =>
    (sent.has(it.actionid) ? 0 : 4) + (it.is_met ? 0 : 2) + (it.is_enabled ? 0 : 1);
  return [...actions].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, locale()));
}

export function masterText({ had_problem, has_problem }: Master): string {
  const then = had_problem ? t("was in problem state then") : t("was not in problem state then");
  return has_problem === had_problem
    ? then
    : `${then}, ${has_problem ? t("is in problem state now") : t("is not in problem state now")}`;
}

/** A problem that is there was kept back by none: it says so, and which might have. */
export function dependencyText(masters: readonly Master[]): string {
  if (masters.length === 0) return t("The trigger depends on no other.");
  return masters.some((it) => it.had_problem)
    ? t(
        "A trigger that it depends on was in problem state by that time, but not yet when this trigger was evaluated.",
      )
    : t("No trigger that it depends on was in problem state.");
}

export function suppressionTexts({ suppression }: Explanation): readonly string[] {
  return suppression.by.map((it) => {
    const by =
      it.maintenanceid === "0"
        ? t("by a user")
        : t("by the maintenance {name}", { name: it.maintenance ?? `#${it.maintenanceid}` });
    return it.suppress_until === "0"
      ? by
      : `${by} ${t("until {time}", { time: formatDateTime(Number(it.suppress_until)) })}`;
  });
}

const STATES = [t("not sent yet"), t("sent"), t("failed"), t("new")] as const;

export function alertText(alert: ExplainedAlert): string {
  const { status, alerttype, error, retries, digestid, held_until } = alert;
  if (held_until !== "0") {
    return t("waits until {time}", { time: formatDateTime(Number(held_until)) });
  }
  const done =
    status === "1" && alerttype === "1" ? t("executed") : (STATES[Number(status)] ?? t("new"));
  const tries = Number(retries) > 0 ? `, ${t("{n} failed attempts", { n: retries })}` : "";
  const isTold = digestid !== "0" && digestid !== alert.alertid;
  const where = isTold ? `${t("in digest {id}", { id: digestid })}, ` : "";
  return `${where}${done}${tries}${error === "" ? "" : `: ${error}`}`;
}

export function alertTo({ users, sendto, mediatypes, alerttype }: ExplainedAlert): string {
  const what = alerttype === "1" ? t("command") : (mediatypes[0]?.name ?? t("message"));
  return [users[0]?.username ?? "", sendto, what].filter((it) => it !== "").join(" · ");
}
