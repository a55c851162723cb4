import { Button, Menu, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconChevronDown, IconPlus } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import type { Id, Trigger } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import { Confirm } from "@/ui/confirm";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { SeverityLabel } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import type { Owner } from "@/widgets/owner";
import { useTriggerMutations, useTriggers } from "./queries";

export interface TriggersPageProps {
  readonly owner: Owner;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onOpen: (triggerid: Id | "new") => void;
}

export function TriggersPage({ owner, text, onText, onOpen }: TriggersPageProps) {
  const query = useTriggers(owner.id);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const rows = useMemo(() => selectTriggers(query.data ?? [], text), [query.data, text]);
  const columns = useMemo(
    // a template's triggers have no state of their own
    () => COLUMNS.filter((column) => owner.kind === "host" || column.id !== "value"),
    [owner.kind],
  );
  return (
    <Page
      title={t("Triggers")}
      note={plural(rows.length, "1 trigger", "{n} triggers")}
      actions={
        <>
          <PickedActions picked={[...picked]} onDone={() => setPicked(new Set())} />
          <Button leftSection={<IconPlus size={14} />} onClick={() => onOpen("new")}>
            {t("New trigger")}
          </Button>
        </>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, expressions, tags")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Triggers")}
            rows={rows}
            columns={columns}
            rowKey={(trigger) => trigger.triggerid}
            picking={{ picked, onChange: setPicked }}
            onOpen={(trigger) => onOpen(trigger.triggerid)}
            isDimmed={(trigger) => trigger.status === "1"}
            empty={
              <EmptyState title={t("No triggers here")}>
                {t("Link a template or create a trigger.")}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function selectTriggers(triggers: readonly Trigger[], text: string): readonly Trigger[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return triggers;
  return triggers.filter((trigger) => {
    const tags = trigger.tags.map(({ tag, value }) => `${tag}:${value}`).join("\n");
    const content = `${trigger.description}\n${trigger.expression}\n${tags}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
}

const COLUMNS: readonly DataColumn<Trigger>[] = [
  {
    id: "severity",
    title: t("Severity"),
    width: "132px",
    sortValue: (trigger) => Number(trigger.priority),
    cell: (trigger) => <SeverityLabel severity={toSeverity(trigger.priority)} />,
  },
  {
    id: "value",
    wideOnly: true,
    title: t("Value"),
    width: "84px",
    sortValue: (trigger) => Number(trigger.value),
    cell: (trigger) =>
      trigger.value === "1" ? (
        <span className="bad">{t("Problem")}</span>
      ) : (
        <span className="ok">{t("OK")}</span>
      ),
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 1.5fr)",
    sortValue: (trigger) => trigger.description,
    cell: (trigger) => (
      <span className="ellipsis" title={trigger.description}>
        {trigger.description}
      </span>
    ),
  },
  {
    id: "expression",
    wideOnly: true,
    title: t("Expression"),
    width: "minmax(240px, 2.4fr)",
    sortValue: (trigger) => trigger.expression,
    cell: (trigger) => (
      <span className="ellipsis mono" title={trigger.expression}>
        {trigger.expression}
      </span>
    ),
  },
  {
    id: "origin",
    wideOnly: true,
    title: t("Origin"),
    width: "86px",
    sortValue: originOf,
    cell: (trigger) => <span className="dim">{originOf(trigger)}</span>,
  },
  {
    id: "status",
    title: t("Status"),
    width: "110px",
    sortValue: (trigger) => `${trigger.status}${trigger.state}`,
    cell: (trigger) => <TriggerStatus trigger={trigger} />,
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(110px, 1fr)",
    cell: (trigger) => <TagList tags={pairsOf(trigger.tags)} max={3} />,
  },
];

function originOf(it: Trigger): string {
  if (it.flags === "4") return t("discovered");
  return it.templateid === "0" || it.templateid === "" ? t("own") : t("template");
}

function TriggerStatus({ trigger }: { readonly trigger: Trigger }) {
  if (trigger.status === "1") return <span className="bad">{t("Disabled")}</span>;
  if (trigger.state === "1") {
    return (
      <Tooltip label={trigger.error === "" ? t("Unknown") : trigger.error} maw={420}>
        <span className="bad">
          <IconAlertTriangle size={13} aria-hidden /> {t("Unknown")}
        </span>
      </Tooltip>
    );
  }
  return <span className="ok">{t("Enabled")}</span>;
}

interface PickedActionsProps {
  readonly picked: readonly Id[];
  readonly onDone: () => void;
}

function PickedActions({ picked, onDone }: PickedActionsProps) {
  const [deleting, setDeleting] = useState(false);
  const { remove, setStatus } = useTriggerMutations(() => {
    setDeleting(false);
    onDone();
  });
  if (picked.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            {plural(picked.length, "1 trigger", "{n} triggers")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setStatus.mutate({ triggerids: picked, status: 0 })}>
            {t("Enable")}
          </Menu.Item>
          <Menu.Item onClick={() => setStatus.mutate({ triggerids: picked, status: 1 })}>
            {t("Disable")}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setDeleting(true)}>
            {t("Delete …")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={deleting}
        title={plural(picked.length, "Delete 1 trigger?", "Delete {n} triggers?")}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(picked)}
        onClose={() => setDeleting(false)}
      >
        {t("Their problems and events go with them.")}
      </Confirm>
    </>
  );
}
