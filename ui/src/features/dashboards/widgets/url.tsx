// Another page within a frame that may do nothing to this one.

import { t } from "@/lib/i18n";
import { frameUrl } from "@/lib/link";
import { useBoard } from "../context";
import type { WidgetKind, WidgetProps } from "../kind";
import classes from "../widgets.module.css";

function UrlWidget({ fields, label }: WidgetProps) {
  const { hostid } = useBoard();
  const written = fields.text("url").replaceAll("{HOST.ID}", hostid ?? "");
  const url = frameUrl(written, window.location.origin);
  if (url === undefined) {
    return (
      <p className={classes["quiet"]}>
        {written === "" ? t("No URL is set.") : t("Only http and https are shown here.")}
      </p>
    );
  }
  return (
    <iframe
      className={classes["page"]}
      title={label}
      src={url}
      sandbox="allow-scripts allow-forms allow-popups"
      referrerPolicy="no-referrer"
      loading="lazy"
    />
  );
}

export const KIND: WidgetKind = {
  Widget: UrlWidget,
  fields: [{ kind: "text", name: "url", label: t("URL") }],
  refresh: 0,
};
