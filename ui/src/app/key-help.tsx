import { Kbd, Modal } from "@mantine/core";
import { t } from "@/lib/i18n";
import classes from "./shell.module.css";

const GROUPS: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, what: string])[];
}[] = [
  {
    title: "Everywhere",
    keys: [
      ["Ctrl K", "search pages, hosts and templates"],
      ["?", "this help"],
      ["/", "search in the list"],
      ["g o", "go to the overview"],
      ["g p", "go to problems"],
      ["g l", "go to latest data"],
      ["g h", "go to hosts"],
      ["g t", "go to templates"],
    ],
  },
  {
    title: "Lists",
    keys: [
      ["j  k", "next, previous row"],
      ["x", "pick the row"],
      ["X", "pick all problems of the list"],
      ["Enter", "open the row"],
      ["o", "fold or unfold the symptoms of a problem"],
      ["e", "update problems: message, acknowledge, close"],
      ["u", "take the last update of problems back"],
      ["Esc", "close details, unpick"],
    ],
  },
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t("Keyboard shortcuts")} size="lg">
      <div className={classes["keys"]}>
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{t(group.title)}</h3>
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
                  <dd>{t(what)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
