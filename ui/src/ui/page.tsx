import { Button } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { t } from "@/lib/i18n";
import { Guard } from "./guard";
import classes from "./page.module.css";

export interface PageProps {
  readonly title: ReactNode;
  /** next to the title, dim: counts, states */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly filters?: ReactNode;
  readonly children: ReactNode;
  /** the content scrolls as a whole; without it the content fills the page and scrolls by itself */
  readonly scroll?: boolean;
  /** details next to the content */
  readonly aside?: ReactNode;
}

export function Page(props: PageProps) {
  const { title, note, actions, filters, children, scroll = false, aside } = props;
  return (
    <main className={classes["page"]} tabIndex={-1}>
      <header className={classes["header"]}>
        <h1 className={classes["title"]}>{title}</h1>
        {note === undefined ? null : <div className={classes["note"]}>{note}</div>}
        {actions === undefined ? null : (
          <div className={classes["actions"]} data-print="hide">
            {actions}
          </div>
        )}
      </header>
      {filters === undefined ? null : <Filters>{filters}</Filters>}
      <div className={classes["content"]}>
        {scroll ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <Guard>{children}</Guard>
          </div>
        ) : (
          <div className={classes["fill"]}>
            <Guard>{children}</Guard>
          </div>
        )}
        <Guard>{aside}</Guard>
      </div>
    </main>
  );
}

/** On narrow screens the first one, the search, and a button for the others: the list is what one came for. */
function Filters({ children }: { readonly children: ReactNode }) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <div
      className={classes["filters"]}
      data-print="hide"
      data-unfolded={unfolded || undefined}
      id={FILTERS_ID}
    >
      {children}
      <Button
        className={classes["unfold"] ?? ""}
        variant="default"
        leftSection={<IconFilter size={14} />}
        aria-expanded={unfolded}
        aria-controls={FILTERS_ID}
        onClick={() => setUnfolded(!unfolded)}
      >
        {t("Filters")}
      </Button>
    </div>
  );
}

const FILTERS_ID = "filters";

export interface PanelProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly label?: string;
}

export function Panel({ title, actions, children, label }: PanelProps) {
  return (
    <section className={classes["panel"]} aria-label={label}>
      {title === undefined ? null : (
        <header className={classes["panelHeader"]}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      <Guard>{children}</Guard>
    </section>
  );
}
