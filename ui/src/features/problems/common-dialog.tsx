// What the picked problems have in common that the others of the list have not; without any picked, what those of the
// list have in common that all others have not.

import { plural, t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatNumber } from "@/lib/units";
import { asDialog, Dialog } from "@/ui/dialog";
import { EmptyState } from "@/ui/states";
import type { Common } from "./facets";
import classes from "./problems.module.css";

export interface CommonDialogProps {
  /** problems that were picked, or of the list */
  readonly n: number;
  readonly found: readonly Common[];
  readonly onClose: () => void;
}

const KINDS: Readonly<Record<Common["kind"], string>> = {
  host: t("Host"),
  group: t("Host group"),
  tag: t("Tag"),
  severity: t("Severity"),
  name: t("Problem"),
};

export const CommonDialog = asDialog(CommonDialogBody);

function CommonDialogBody({ n, found, onClose }: CommonDialogProps) {
  return (
    <Dialog
      opened
      onClose={onClose}
      size="lg"
      title={plural(n, "Properties of 1 problem", "Common properties of {n} problems")}
    >
      {found.length === 0 ? (
        <EmptyState title={t("These problems have no properties that the others do not have.")} />
      ) : (
        <table className={classes["common"]} aria-label={t("Common properties")}>
          <thead>
            <tr>
              <th>{t("Property")}</th>
              <th>{t("Value")}</th>
              <th>{t("these problems")}</th>
              <th>{t("other problems")}</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ kind, name, picked: mine, others }) => (
              <tr key={`${kind} ${name}`}>
                <td className="dim">{KINDS[kind]}</td>
                <td>{kind === "severity" ? severityName(toSeverity(name)) : name}</td>
                <td>
                  <Share value={mine} />
                </td>
                <td>
                  <Share value={others} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function Share({ value }: { readonly value: number }) {
  const percent = formatNumber(value * 100, 0);
  return (
    <span className={classes["share"]}>
      <meter min={0} max={1} value={value} aria-label={t("{n} percent", { n: percent })} />
      <span className="num">{percent} %</span>
    </span>
  );
}
