// What can be done with the list as a whole: views, export, announcements of new problems.

import { Button, Checkbox, Menu, Select, TextInput } from "@mantine/core";
import {
  IconBell,
  IconColumns,
  IconDots,
  IconDownload,
  IconFilter,
  IconListCheck,
  IconTrash,
  IconZoomQuestion,
} from "@tabler/icons-react";
import { useRouteContext } from "@tanstack/react-router";
import { memo, useState } from "react";
import { errorText } from "@/api/http";
import { plural, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, severityName, toSeverity } from "@/lib/severity";
import { asDialog, Dialog } from "@/ui/dialog";
import { notifyDone } from "@/ui/notify";
import { type Announcing, announcingText, askToNotify, beep, canNotify } from "./announce";
import type { ProblemSearch } from "./filter";
import classes from "./problems.module.css";
import { HIDEABLE, type HideableColumn } from "./shown-columns";
import { nameOfView, useViews } from "./views";

export interface ListMenuProps {
  readonly search: ProblemSearch;
  readonly onSearch: (search: ProblemSearch) => void;
  readonly count: number;
  /** undefined until all problems are there */
  readonly onExport: (() => void) | undefined;
  readonly onPickAll: () => void;
  readonly onCompare: () => void;
  readonly hidden: readonly HideableColumn[];
  readonly onColumn: (id: HideableColumn) => void;
  readonly announcing: Announcing;
  readonly onAnnouncing: (change: Partial<Announcing>) => void;
}

type Opened = "views" | "announcing" | "columns" | undefined;

export const ListMenu = memo(function ListMenu(props: ListMenuProps) {
  const { search, onSearch, count, onExport, onPickAll, announcing, onAnnouncing } = props;
  const { onCompare, hidden, onColumn } = props;
  const { user } = useRouteContext({ from: "/shell" });
  const saved = useViews(user.userid);
  const { views } = saved;
  const [opened, setOpened] = useState<Opened>(undefined);
  const close = () => setOpened(undefined);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={14} />}>
            {t("List")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("Views")}</Menu.Label>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              leftSection={<IconFilter size={14} />}
              onClick={() => onSearch(view.search)}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setOpened("views")}>{t("Save or remove views …")}</Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconListCheck size={14} />}
            disabled={count === 0}
            onClick={onPickAll}
          >
            {plural(count, "Pick the one in the list", "Pick all {n} of the list")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconZoomQuestion size={14} />}
            disabled={count === 0}
            onClick={onCompare}
          >
            {t("Common properties …")}
          </Menu.Item>
          <Menu.Item leftSection={<IconColumns size={14} />} onClick={() => setOpened("columns")}>
            {t("Columns …")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={14} />}
            disabled={onExport === undefined || count === 0}
            onClick={onExport}
          >
            {t("Export as CSV")}
          </Menu.Item>
          <Menu.Item leftSection={<IconBell size={14} />} onClick={() => setOpened("announcing")}>
            {t("Announce new problems: {state}", { state: announcingText(announcing) })}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened === "views" ? <ViewsDialog search={search} saved={saved} onClose={close} /> : null}
      {opened === "columns" ? (
        <ColumnsDialog hidden={hidden} onColumn={onColumn} onClose={close} />
      ) : null}
      {opened === "announcing" ? (
        <AnnounceDialog announcing={announcing} onChange={onAnnouncing} onClose={close} />
      ) : null}
    </>
  );
});

interface ViewsDialogProps {
  readonly search: ProblemSearch;
  readonly saved: ReturnType<typeof useViews>;
  readonly onClose: () => void;
}

const ViewsDialog = asDialog(ViewsDialogBody);

function ViewsDialogBody({ search, saved, onClose }: ViewsDialogProps) {
  const { views, keep, forget } = saved;
  const names = views.map(({ name }) => name);
  const [text, setText] = useState("");
  const name = nameOfView(text);
  const save = () => {
    const { event: _, ...filters } = search;
    keep.mutate(
      { name, search: filters },
      {
        onSuccess: () => {
          notifyDone(t("View saved"));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={t("Views")} size="sm">
      <form
        className={classes["dialog"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== "") save();
        }}
      >
        <p className="dim">
          {t(
            "A view saves the current filters and sort order. Your views are available in every browser.",
          )}
        </p>
        <TextInput
          label={t("Name")}
          data-autofocus
          value={text}
          error={keep.error === null ? undefined : errorText(keep.error)}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {names.length === 0 ? null : (
          <ul className={classes["views"]} aria-label={t("Saved views")}>
            {names.map((it) => (
              <li key={it}>
                <span className="ellipsis">{it}</span>
                <Button
                  size="compact-xs"
                  variant="default"
                  leftSection={<IconTrash size={13} />}
                  aria-label={t("Remove view {name}", { name: it })}
                  onClick={() => forget.mutate(it)}
                >
                  {t("Remove")}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <div className={classes["dialogFooter"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" disabled={name === ""} loading={keep.isPending}>
            {names.includes(name) ? t("Replace view") : t("Save view")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ColumnsDialogProps {
  readonly hidden: readonly HideableColumn[];
  readonly onColumn: (id: HideableColumn) => void;
  readonly onClose: () => void;
}

const ColumnsDialog = asDialog(ColumnsDialogBody);

function ColumnsDialogBody({ hidden, onColumn, onClose }: ColumnsDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={t("Columns")} size="xs">
      <div className={classes["dialog"]}>
        <p className="dim">{t("Saved in this browser.")}</p>
        {Object.entries(HIDEABLE).map(([id, name]) => (
          <Checkbox
            key={id}
            label={name}
            checked={!hidden.includes(id as HideableColumn)}
            onChange={() => onColumn(id as HideableColumn)}
          />
        ))}
        <div className={classes["dialogFooter"]}>
          <Button onClick={onClose}>{t("Done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface AnnounceDialogProps {
  readonly announcing: Announcing;
  readonly onChange: (change: Partial<Announcing>) => void;
  readonly onClose: () => void;
}

const AnnounceDialog = asDialog(AnnounceDialogBody);

function AnnounceDialogBody({ announcing, onChange, onClose }: AnnounceDialogProps) {
  const [refused, setRefused] = useState(false);
  const setNotification = async (isWanted: boolean) => {
    const isAllowed = !isWanted || (await askToNotify());
    setRefused(!isAllowed);
    onChange({ notification: isWanted && isAllowed });
  };
  return (
    <Dialog opened onClose={onClose} title={t("Announce new problems")} size="sm">
      <div className={classes["dialog"]}>
        <p className="dim">
          {t(
            "Only problems that match the filters, while this page is open. Saved in this browser.",
          )}
        </p>
        <Select
          label={t("From severity")}
          data={SEVERITIES_WORST_FIRST.map((it) => ({
            value: String(it),
            label: severityName(it),
          }))}
          value={String(announcing.severity)}
          allowDeselect={false}
          onChange={(severity) => onChange({ severity: toSeverity(severity) })}
        />
        <Checkbox
          label={t("Sound")}
          checked={announcing.sound}
          onChange={(event) => {
            onChange({ sound: event.currentTarget.checked });
            if (event.currentTarget.checked) beep();
          }}
        />
        <Checkbox
          label={t("Browser notification")}
          disabled={!canNotify()}
          checked={announcing.notification}
          error={refused ? t("The browser does not allow notifications.") : undefined}
          onChange={(event) => void setNotification(event.currentTarget.checked)}
        />
        <div className={classes["dialogFooter"]}>
          <Button onClick={onClose}>{t("Done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
