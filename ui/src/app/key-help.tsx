import { Kbd } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { t } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";
import { SHORTCUTS } from "./pages";
import classes from "./shell.module.css";

const GROUPS: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, what: string])[];
}[] = [
  {
    title: t("Everywhere"),
    keys: [
      ["Ctrl K", t("search pages, hosts and templates")],
      ["?", t("this help")],
      ["/", t("search in the list")],
      ...SHORTCUTS.map(({ keys, does }) => [keys, does] as const),
      ["g u", t("open the user guide for this page")],
    ],
  },
  {
    title: t("Lists"),
    keys: [
      ["j  k", t("next, previous row")],
      ["x", t("select the row")],
      ["X", t("select all problems of the list")],
      ["Enter", t("open the row")],
      ["o", t("collapse or expand the symptoms of a problem")],
      ["O", t("collapse or expand all groups of problems")],
      ["e", t("update problems: message, acknowledge, close")],
      ["Ctrl Enter", t("send the update from its message field")],
      ["u", t("undo the last update of problems")],
      ["Esc", t("close details, clear the selection")],
    ],
  },
  {
    title: t("Dashboards"),
    keys: [
      ["[  ]", t("previous, next page")],
      ["p", t("start or stop the slideshow")],
      ["f", t("full screen")],
      ["e", t("edit")],
      ["a", t("add a widget")],
      ["Ctrl Z", t("undo")],
      ["Ctrl Y", t("redo")],
      ["Ctrl S", t("save")],
    ],
  },
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={t("Keyboard shortcuts")} size="lg">
      <div className={classes["keys"]}>
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map(([keys, what]) => (
                <div key={keys} style={{ display: "contents" }}>
                  <dt>
                    {keys.split(/\s+/).map((key) => (
                      <Kbd key={key} size="xs" mr={3}>
                        {key}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className={classes["more"]}>
        <Link to="/docs" onClick={onClose}>
          {t("User guide")}
        </Link>
        <Link to="/docs/api" onClick={onClose}>
          {t("API reference")}
        </Link>
      </p>
    </Dialog>
  );
}
