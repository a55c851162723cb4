// What was asked and answered while a host was asked for a value, folded: who needs it looks for why a value is not what it should be.

import type { ExchangeLine } from "@/api/testing";
import { plural, t } from "@/lib/i18n";
import classes from "./exchange.module.css";

function saidBy(by: string): string {
  if (by === "server") return t("Request");
  return by === "peer" ? t("Response") : t("Note");
}

export function Exchange({ lines }: { readonly lines: readonly ExchangeLine[] }) {
  if (lines.length === 0) return null;
  const numbered = lines.map((it, at) => ({ ...it, key: `${at} ${it.by}` }));
  return (
    <details className={classes["exchange"]}>
      <summary>{t("Requests and responses")}</summary>
      <ol aria-label={t("Requests and responses")}>
        {numbered.map(({ key, by, text, leftOut }) => (
          <li key={key} data-by={by}>
            <span className="dim">{saidBy(by)}</span>
            <div>
              <pre>{text}</pre>
              {leftOut === 0 ? null : (
                <span className="dim">
                  {plural(
                    leftOut,
                    "… and 1 byte that is not shown",
                    "… and {n} bytes that are not shown",
                  )}
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
