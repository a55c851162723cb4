import { t } from "@/lib/i18n";
import type { Fields } from "./fields";
import classes from "./widgets.module.css";

/** A kind that is not known here: what it is, and what it was set up to show. */
export function UnknownWidget({
  type,
  fields,
}: {
  readonly type: string;
  readonly fields: Fields;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["unknown"]} tabIndex={0}>
      <p>{t("Widgets of the type “{type}” are kept, but not shown.", { type })}</p>
      <table className={classes["table"]}>
        <tbody>
          {fields.all.map((it) => (
            <tr key={it.name}>
              <th scope="row" className="mono">
                {it.name}
              </th>
              <td className="mono">{it.value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
