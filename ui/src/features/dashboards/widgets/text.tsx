// A text in Markdown: notes next to the figures. Saker's own; Zabbix has none.

import { t } from "@/lib/i18n";
import { Markdown } from "@/widgets/markdown";
import type { WidgetKind, WidgetProps } from "../kind";
import classes from "../widgets.module.css";

function TextWidget({ fields }: WidgetProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["markdown"]} tabIndex={0}>
      <Markdown text={fields.text("text")} />
    </div>
  );
}

export const KIND: WidgetKind = {
  Widget: TextWidget,
  fields: [{ kind: "text", name: "text", label: t("Text (Markdown)"), lines: 12 }],
  refresh: 0,
};
