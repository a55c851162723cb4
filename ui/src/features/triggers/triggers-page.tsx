import { Menu } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Id, Trigger } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { toSeverity } from "@/lib/severity";
import { tagTexts, wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { SeverityLabel, severityWidth } from "@/ui/severity-mark";
import { EmptyState, ObjectGate, QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import { ChangeHistory } from "@/widgets/audit/change-history";
import { ObjectArea, useReadOnlyIds, useRightsOf } from "@/widgets/editable";
import { ExpressionText } from "@/widgets/expression-text";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { originOf, RowState } from "@/widgets/row-state";
import { useTrigger, useTriggerMutations, useTriggerPrototype, useTriggers } from "./queries";
import { TriggerForm } from "./trigger-form";
import { TriggerMassDialog } from "./trigger-mass-dialog";

export interface TriggersPageProps {
  readonly owner: Owner;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onOpen: (triggerid: Id | "new") => void;
}

export function TriggersPage({ owner, text, onText, onOpen }: TriggersPageProps) {
  const query = useTriggers(owner.id);
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const isLocked = useLock("trigger.update") !== undefined;
  const rows = useMemo(() => selectTriggers(query.data ?? [], text), [query.data, text]);
  const { kind, id } = owner;
  const columns = useMemo(
    () =>
      // a template's triggers have no state of their own
      triggerColumns({ kind, id }).filter((it) => kind === "host" || it.id !== "value"),
    [kind, id],
  );
  return (
    <Page
      title={t("Triggers")}
      note={plural(rows.length, "1 trigger", "{n} triggers")}
      actions={
        <>
          <PickedActions picked={[...picked]} onDone={() => setPicked(new Set())} />
          <NewButton call="trigger.create" onClick={() => onOpen("new")}>
            {t("New trigger")}
          </NewButton>
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
            picking={isLocked ? undefined : { picked, onChange: setPicked }}
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
  const matches = wordMatcher(text);
  return triggers.filter((trigger) =>
    matches(() => [trigger.description, trigger.expression, ...tagTexts(trigger.tags)]),
  );
}

function masterNames(trigger: Trigger): string {
  return trigger.dependencies.map((it) => it.description).join(", ");
}

const triggerColumns = (owner: Owner): readonly DataColumn<Trigger>[] => [
  {
    id: "severity",
    title: t("Severity"),
    width: severityWidth(),
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
    width: "minmax(180px, 2fr)",
    sortValue: (trigger) => trigger.description,
    cell: ({ triggerid, description }) => (
      <PartLink owner={owner} part={`triggers/${triggerid}`} name={description} />
    ),
  },
  {
    id: "expression",
    wideOnly: true,
    title: t("Expression"),
    width: "minmax(220px, 2.2fr)",
    sortValue: (trigger) => trigger.expression,
    cell: (trigger) => (
      <span className="ellipsis mono" title={trigger.expression}>
        <ExpressionText text={trigger.expression} />
      </span>
    ),
  },
  {
    id: "dependencies",
    wideOnly: true,
    title: t("Depends on"),
    width: "minmax(90px, 0.8fr)",
    sortValue: masterNames,
    cell: (trigger) => (
      <span className="ellipsis" title={masterNames(trigger)}>
        {masterNames(trigger)}
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
    cell: (trigger) => <RowState row={trigger} failed={t("Unknown")} />,
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(110px, 1fr)",
    cell: (trigger) => <TagList tags={pairsOf(trigger.tags)} max={3} />,
  },
];

interface PickedActionsProps {
  readonly picked: readonly Id[];
  readonly onDone: () => void;
}

function PickedActions({ picked, onDone }: PickedActionsProps) {
  const [updating, setUpdating] = useState(false);
  const readOnly = useReadOnlyIds("trigger", picked);
  const { remove, setStatus } = useTriggerMutations(onDone);
  if (picked.length === 0) return null;
  return (
    <>
      <PickedMenu
        object="trigger"
        readOnly={readOnly}
        label={plural(picked.length, "1 trigger", "{n} triggers")}
        onStatus={(status) => setStatus.mutate({ triggerids: picked, status })}
        onDelete={() => remove.mutate(picked)}
        deleting={remove.isPending}
        deleteTitle={plural(picked.length, "Delete 1 trigger?", "Delete {n} triggers?")}
        deleteNote={t("Their problems and events are also deleted.")}
      >
        <Menu.Item onClick={() => setUpdating(true)}>{t("Mass update …")}</Menu.Item>
      </PickedMenu>
      {updating ? (
        <TriggerMassDialog
          triggerids={picked}
          onClose={() => setUpdating(false)}
          onDone={() => {
            setUpdating(false);
            onDone();
          }}
        />
      ) : null}
    </>
  );
}

export interface TriggerPageProps {
  readonly owner: Owner;
  readonly triggerid: Id | "new";
  readonly onDone: () => void;
}

export function TriggerPage({ owner, triggerid, onDone }: TriggerPageProps) {
  const query = useTrigger(triggerid);
  // asked alongside the trigger, not after it
  useRightsOf("trigger", triggerid);
  if (triggerid === "new") {
    return (
      <Page title={t("New trigger")} scroll>
        <TriggerForm owner={owner} trigger={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page
      title={query.data?.description ?? t("Trigger")}
      actions={<ChangeHistory kind="trigger" id={triggerid} />}
      scroll
    >
      <ObjectGate query={query} absent={<EmptyState title={t("There is no such trigger.")} />}>
        {(trigger) => (
          <ObjectArea kind="trigger" id={triggerid}>
            <TriggerForm key={triggerid} owner={owner} trigger={trigger} onDone={onDone} />
          </ObjectArea>
        )}
      </ObjectGate>
    </Page>
  );
}

export interface TriggerPrototypePageProps {
  readonly owner: Owner;
  readonly triggerid: Id | "new";
  readonly onDone: () => void;
}

export function TriggerPrototypePage({ owner, triggerid, onDone }: TriggerPrototypePageProps) {
  const query = useTriggerPrototype(triggerid);
  if (triggerid === "new") {
    return (
      <Page title={t("New trigger prototype")} scroll>
        <TriggerForm owner={owner} trigger={undefined} isPrototype onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.description ?? t("Trigger prototype")} scroll>
      <ObjectGate
        query={query}
        absent={<EmptyState title={t("There is no such trigger prototype.")} />}
      >
        {(trigger) => (
          <TriggerForm
            key={triggerid}
            owner={owner}
            trigger={trigger}
            isPrototype
            onDone={onDone}
          />
        )}
      </ObjectGate>
    </Page>
  );
}
