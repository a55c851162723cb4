import { Menu } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Id, Trigger } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { toSeverity } from "@/lib/severity";
import { type Matcher, tagTexts } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { SeverityLabel, severityWidth } from "@/ui/severity-mark";
import { pairsOf, TagList } from "@/ui/tags";
import { ObjectArea, useReadOnlyIds, useRightsOf } from "@/widgets/editable";
import { ExpressionText } from "@/widgets/expression-text";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { originOf, RowState } from "@/widgets/row-state";
import {
  PROTOTYPE_CALLS,
  TRIGGER_WORDS,
  useTrigger,
  useTriggerMutations,
  useTriggerPrototype,
  useTriggers,
} from "./queries";
import { TriggerForm } from "./trigger-form";
import { TriggerMassDialog } from "./trigger-mass-dialog";

export function TriggersPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const columns = useMemo(
    () =>
      // a template's triggers have no state of their own
      triggerColumns({ kind, id }).filter((it) => kind === "host" || it.id !== "value"),
    [kind, id],
  );
  return (
    <ObjectList
      title={t("Triggers")}
      note={(rows) => plural(rows.length, "1 trigger", "{n} triggers")}
      calls={{ object: "trigger", words: TRIGGER_WORDS }}
      query={useTriggers(id)}
      select={select}
      columns={columns}
      rowKey={({ triggerid }) => triggerid}
      picks="trigger.update"
      actions={({ picked, clear }) => <PickedActions picked={[...picked]} onDone={clear} />}
      isDimmed={({ status }) => status === "1"}
      onOpen={({ triggerid }) => onOpen(triggerid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search names, expressions, tags") }}
      none={t("No triggers here")}
      first={t("Link a template or create a trigger.")}
    />
  );
}

function select(all: readonly Trigger[], finds: Matcher): readonly Trigger[] {
  return all.filter(({ description, expression, tags }) =>
    finds(() => [description, expression, ...tagTexts(tags)]),
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
  // asked alongside the trigger, not after it
  useRightsOf("trigger", triggerid);
  return (
    <ObjectPage
      id={triggerid}
      audited="trigger"
      words={TRIGGER_WORDS}
      query={useTrigger(triggerid)}
      nameOf={({ description }) => description}
    >
      {(trigger) => (
        <ObjectArea kind="trigger" id={trigger?.triggerid}>
          <TriggerForm key={triggerid} owner={owner} trigger={trigger} onDone={onDone} />
        </ObjectArea>
      )}
    </ObjectPage>
  );
}

export interface TriggerPrototypePageProps {
  readonly owner: Owner;
  readonly triggerid: Id | "new";
  readonly onDone: () => void;
}

export function TriggerPrototypePage({ owner, triggerid, onDone }: TriggerPrototypePageProps) {
  return (
    <ObjectPage
      id={triggerid}
      words={PROTOTYPE_CALLS.words}
      query={useTriggerPrototype(triggerid)}
      nameOf={({ description }) => description}
    >
      {(trigger) => (
        <TriggerForm key={triggerid} owner={owner} trigger={trigger} isPrototype onDone={onDone} />
      )}
    </ObjectPage>
  );
}
