// Web scenarios of a host or a template, with the results of their last runs.

import { Menu } from "@mantine/core";
import { useMemo } from "react";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { formatDateTime } from "@/lib/time";
import { type Matcher, tagTexts } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { pairsOf, TagList } from "@/ui/tags";
import { statusColumn } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import type { OwnerListProps } from "@/widgets/owner-pages";
import { PartLink } from "@/widgets/part-link";
import { PickedMenu } from "@/widgets/picked-menu";
import { SCENARIOS, useScenario, useScenarioMutations, useScenarios, type WebRow } from "./queries";
import { outcomeOrder, WebOutcome } from "./result";
import { ScenarioForm } from "./scenario-form";

export function ScenariosPage({ owner, onOpen, ...search }: OwnerListProps) {
  const { kind, id } = owner;
  const columns = useMemo(() => columnsOf({ kind, id }), [kind, id]);
  return (
    <ObjectList
      title={t("Web scenarios")}
      note={(rows) => plural(rows.length, "1 scenario", "{n} scenarios")}
      calls={SCENARIOS}
      query={useScenarios(id)}
      select={select}
      columns={columns}
      rowKey={({ scenario }) => scenario.httptestid}
      picks="httptest.update"
      actions={({ picked, clear }) => (
        <PickedActions picked={[...picked]} canExecute={kind === "host"} onDone={clear} />
      )}
      isDimmed={({ scenario }) => !isEnabled(scenario)}
      onOpen={({ scenario }) => onOpen(scenario.httptestid)}
      onNew={() => onOpen("new")}
      search={{ ...search, placeholder: t("Search names, steps, tags") }}
      none={t("No web scenarios here")}
      first={t("A scenario requests pages one after another, like a user.")}
    />
  );
}

const isEnabled = ({ status }: WebRow["scenario"]) => status !== "1";

function select(all: readonly WebRow[], finds: Matcher): readonly WebRow[] {
  return all.filter(({ scenario: { name, steps, tags } }) =>
    finds(() => [name, ...steps.flatMap((it) => [it.name, it.url]), ...tagTexts(tags)]),
  );
}

const columnsOf = (owner: Owner): readonly DataColumn<WebRow>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 1.4fr)",
    sortValue: ({ scenario }) => scenario.name,
    cell: ({ scenario }) => (
      <PartLink owner={owner} part={`web/${scenario.httptestid}`} name={scenario.name} />
    ),
  },
  {
    id: "steps",
    title: t("Steps"),
    width: "60px",
    sortValue: ({ scenario }) => scenario.steps.length,
    cell: ({ scenario }) => scenario.steps.length,
  },
  {
    id: "interval",
    wideOnly: true,
    title: t("Interval"),
    width: "76px",
    sortValue: ({ scenario }) => scenario.delay,
    cell: ({ scenario }) => scenario.delay,
  },
  {
    id: "attempts",
    wideOnly: true,
    title: t("Attempts"),
    width: "76px",
    sortValue: ({ scenario }) => Number(scenario.retries),
    cell: ({ scenario }) => scenario.retries,
  },
  {
    id: "origin",
    wideOnly: true,
    title: t("Origin"),
    width: "86px",
    sortValue: ({ scenario }) => scenario.templateid,
    cell: ({ scenario }) => (
      <span className="dim">{scenario.templateid === "0" ? t("own") : t("template")}</span>
    ),
  },
  statusColumn(({ scenario }) => isEnabled(scenario)),
  ...(owner.kind === "host" ? RESULT_COLUMNS : []),
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(100px, 0.7fr)",
    cell: ({ scenario }) => <TagList tags={pairsOf(scenario.tags)} max={3} />,
  },
];

export const RESULT_COLUMNS: readonly DataColumn<WebRow>[] = [
  {
    id: "clock",
    wideOnly: true,
    title: t("Last run"),
    width: "150px",
    sortValue: ({ result }) => result?.clock ?? 0,
    cell: ({ result }) =>
      result === undefined || result.clock === 0 ? "" : formatDateTime(result.clock),
  },
  {
    id: "result",
    title: t("Result"),
    width: "minmax(120px, 2fr)",
    sortValue: ({ result }) => outcomeOrder(result),
    cell: ({ scenario, result }) => <WebOutcome scenario={scenario} result={result} />,
  },
];

interface PickedActionsProps {
  readonly picked: readonly Id[];
  readonly canExecute: boolean;
  readonly onDone: () => void;
}

function PickedActions({ picked, canExecute, onDone }: PickedActionsProps) {
  const { remove, setStatus, execute } = useScenarioMutations(onDone);
  if (picked.length === 0) return null;
  return (
    <PickedMenu
      object="httptest"
      label={plural(picked.length, "1 scenario", "{n} scenarios")}
      onStatus={(status) => setStatus.mutate({ ids: picked, status: String(status) })}
      onDelete={() => remove.mutate(picked)}
      deleting={remove.isPending}
      deleteTitle={plural(picked.length, "Delete 1 web scenario?", "Delete {n} web scenarios?")}
      deleteNote={t("Their items, history and the triggers that use them are also deleted.")}
    >
      {canExecute ? (
        <Menu.Item onClick={() => execute.mutate(picked)}>{t("Execute now")}</Menu.Item>
      ) : null}
    </PickedMenu>
  );
}

export interface ScenarioPageProps {
  readonly owner: Owner;
  readonly httptestid: Id | "new";
  readonly onDone: () => void;
}

export function ScenarioPage({ owner, httptestid, onDone }: ScenarioPageProps) {
  const query = useScenario(httptestid);
  return (
    <ObjectPage id={httptestid} words={SCENARIOS.words} query={query}>
      {(scenario) => <ScenarioForm owner={owner} scenario={scenario} onDone={onDone} />}
    </ObjectPage>
  );
}
