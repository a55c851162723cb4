// The reason of an event, the decisions about it, and who was notified: for the page of an event and the panel of a
// problem.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import {
  type Explanation as Explained,
  type ExplainedCondition,
  type ExplainedExpression,
  type ExplainedTrigger,
  fetchExplanation,
} from "@/api/explain";
import { EVENT } from "@/api/generated/event";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { QueryGate } from "@/ui/states";
import { ExpressionCode, ExpressionText } from "../expression-text";
import classes from "./explain.module.css";
import {
  actionsInOrder,
  actionText,
  alertText,
  alertTo,
  dependencyText,
  expressionTitle,
  expressionVerdict,
  masterText,
  suppressionTexts,
  type Verdict,
  verdictOf,
} from "./verdicts";

// messages are sent while one looks
const EXPLAIN_MS = 10_000;
const { TRIGGER } = EVENT.fields.source.names;

export function Explanation({ eventid }: { readonly eventid: Id }) {
  const query = useQuery({
    queryKey: keys.explanation(eventid),
    queryFn: ({ signal }) => fetchExplanation(eventid, signal),
    refetchInterval: EXPLAIN_MS,
  });
  return (
    <QueryGate query={query}>
      {(explained) => (
        <div className={classes["parts"]}>
          {explained.source === TRIGGER ? <Why explained={explained} /> : null}
          <Standing explained={explained} />
          {explained.value === "0" ? null : <Rules explained={explained} />}
          {explained.value === "0" ? null : <Actions explained={explained} />}
          <Alerts explained={explained} />
        </div>
      )}
    </QueryGate>
  );
}

interface PartProps {
  readonly explained: Explained;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes["part"]} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

const SIGNS: Readonly<Record<Verdict, string>> = { yes: "✓", no: "✗", unknown: "?" };

function Sign({ verdict }: { readonly verdict: Verdict }) {
  const names = { yes: t("met"), no: t("not met"), unknown: t("unknown") };
  return (
    <span className={classes["sign"]} data-verdict={verdict} role="img" aria-label={names[verdict]}>
      {SIGNS[verdict]}
    </span>
  );
}

function Why({ explained: { trigger, clock } }: PartProps) {
  return (
    <Part title={t("Values")}>
      {trigger === null ? (
        <p className="dim">{t("The trigger no longer exists.")}</p>
      ) : (
        <>
          {trigger.expressions.map((it) => (
            <Expression key={it.kind} expression={it} />
          ))}
          <p className="dim">
            {t("Evaluated with history at {time} and the current trigger definition.", {
              time: formatDateTime(clock),
            })}
          </p>
          <Dependencies trigger={trigger} />
        </>
      )}
    </Part>
  );
}

function Expression({ expression }: { readonly expression: ExplainedExpression }) {
  const { text, explained, functions } = expression;
  return (
    <div className={classes["expression"]}>
      <span className="dim">{expressionTitle(expression)}</span>
      <pre>
        <ExpressionText text={text} />
      </pre>
      <p>
        <Sign verdict={expressionVerdict(expression)} />{" "}
        {explained === null ? t("its values are no longer known") : <code>{explained}</code>}
      </p>
      <table className={classes["functions"]} aria-label={t("Functions")}>
        <tbody>
          {functions.map((it) => (
            <tr key={it.text}>
              <td>
                <ExpressionCode text={it.text} />
              </td>
              <td>{it.value === null ? t("no longer known") : <strong>{it.value}</strong>}</td>
              <td className="dim">
                {it.item === null ? "" : it.item}
                {it.item_value === null || it.item_clock === null
                  ? ""
                  : ` = ${it.item_value}, ${formatDateTime(it.item_clock)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Dependencies({ trigger }: { readonly trigger: ExplainedTrigger }) {
  const { dependencies, correlation_mode, correlation_tag } = trigger;
  return (
    <>
      <p>{dependencyText(dependencies)}</p>
      {dependencies.length === 0 ? null : (
        <ul className={classes["list"]}>
          {dependencies.map((it) => (
            <li key={it.triggerid}>
              {it.name}: {masterText(it)}
            </li>
          ))}
        </ul>
      )}
      {correlation_mode === "1" ? (
        <p>
          {t("It is resolved by an OK event that has the same value of tag {tag}.", {
            tag: correlation_tag,
          })}
        </p>
      ) : null}
    </>
  );
}

/** What keeps it back or has closed it. */
function Standing({ explained }: PartProps) {
  const { cause, correlation } = explained;
  const by = suppressionTexts(explained);
  const closed = correlation.closed_by;
  return (
    <Part title={t("Suppression, cause and correlation")}>
      <ul className={classes["list"]}>
        {by.length === 0 ? <li>{t("It is not suppressed now.")}</li> : null}
        {by.map((it) => (
          <li key={it}>{t("Suppressed {by}.", { by: it })}</li>
        ))}
        <li>
          {cause === null ? (
            t("It is not a symptom.")
          ) : (
            <>
              {t("A symptom of")}{" "}
              <Link to="/events/$eventid" params={{ eventid: cause.eventid }}>
                {cause.name === "" ? t("an event to which you have no access") : cause.name}
              </Link>
            </>
          )}
        </li>
        {closed === null ? (
          <li>{t("It was not closed by a correlation rule.")}</li>
        ) : (
          <li>
            {t("Closed by the correlation rule {name}, because of", {
              name: closed.name ?? `#${closed.correlationid}`,
            })}{" "}
            <Link to="/events/$eventid" params={{ eventid: closed.eventid }}>
              {t("event {id}", { id: closed.eventid })}
            </Link>
          </li>
        )}
      </ul>
    </Part>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly ExplainedCondition[] }) {
  return (
    <ul className={classes["conditions"]}>
      {conditions.map((it) => (
        <li key={it.formulaid}>
          <Sign verdict={verdictOf(it)} />
          <span>
            {it.formulaid}: {it.text}
            {it.is_met === true || it.found === undefined || it.found === "" ? null : (
              <span className="dim"> {t("(actual: {found})", { found: it.found })}</span>
            )}
            {it.is_met === null ? (
              <span className="dim"> {t("(evaluated for each open problem)")}</span>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Rules({ explained: { correlation } }: PartProps) {
  if (correlation.rules.length === 0) return null;
  return (
    <Part title={t("Correlation rules, with this event as the new event")}>
      {correlation.rules.map(({ correlationid, name, formula, conditions }) => (
        <details key={correlationid} className={classes["judged"]}>
          <summary>
            <strong>{name}</strong> <span className="dim">{formula}</span>
          </summary>
          <Conditions conditions={conditions} />
        </details>
      ))}
    </Part>
  );
}

function Actions({ explained }: PartProps) {
  const actions = actionsInOrder(explained);
  return (
    <Part title={t("Actions")}>
      {actions.length === 0 ? (
        <p className="dim">{t("No action for such events is visible to you.")}</p>
      ) : (
        <p className="dim">{t("Conditions are evaluated with the current actions.")}</p>
      )}
      {actions.map((it) => (
        <details key={it.actionid} className={classes["judged"]} open={it.is_met && it.is_enabled}>
          <summary>
            <Sign verdict={it.is_met ? "yes" : "no"} /> <strong>{it.name}</strong>:{" "}
            {actionText(it, explained.alerts)}
          </summary>
          {it.conditions.length === 0 ? (
            <p className="dim">{t("No conditions: it applies to all events.")}</p>
          ) : (
            <>
              <Conditions conditions={it.conditions} />
              {it.conditions.length > 1 && it.formula !== null && it.formula !== "" ? (
                <p className="dim">{t("Joined by {formula}", { formula: it.formula })}</p>
              ) : null}
            </>
          )}
        </details>
      ))}
    </Part>
  );
}

function Alerts({ explained: { alerts } }: PartProps) {
  return (
    <Part title={t("Notifications")}>
      {alerts.length === 0 ? (
        <p className="dim">{t("No recipients are visible to you.")}</p>
      ) : (
        <ul className={classes["alerts"]}>
          {alerts.map((it) => (
            <li key={it.alertid}>
              <span className="dim">{formatDateTime(Number(it.clock))}</span>
              <span>
                {alertTo(it)}
                {it.esc_step === "0" ? "" : `, ${t("step {n}", { n: it.esc_step })}`}:{" "}
                <span className={it.status === "2" ? "bad" : ""}>{alertText(it)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
