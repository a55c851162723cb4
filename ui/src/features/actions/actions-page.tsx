// Actions by event source: for which events, what they do, and whether they are enabled.

import { SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { Action } from "@/api/actions";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { enabledColumn, nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { conditionText, type NameOf, sourceOptions } from "./conditions";
import { type ActionFields, fieldsOf, operationText } from "./draft";
import { ACTIONS, useActions, useNames } from "./queries";

export interface ActionsPageProps extends ListProps {
  readonly source: string;
  readonly onSource: (source: string) => void;
}

interface ActionRow {
  readonly action: Action;
  readonly fields: ActionFields;
}

const PATH = "/actions/$actionid";

export function ActionsPage({ text, onText, source, onSource }: ActionsPageProps) {
  const query = useActions();
  const navigate = useNavigate();
  const all = useMemo(() => rowsOf(query.data ?? [], source), [query.data, source]);
  const nameOf = useNames(all.map(({ fields }) => fields));
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const select = useCallback(
    (_: readonly Action[], finds: Matcher) =>
      all.filter(({ action }) => finds(() => [action.name])),
    [all],
  );
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Actions")}
      note={(rows) => plural(rows.length, "1 action", "{n} actions")}
      calls={ACTIONS}
      query={query}
      select={select}
      columns={columns}
      rowKey={idOf}
      isDimmed={({ action }) => action.status === "1"}
      onOpen={(it) => open(idOf(it))}
      onNew={() => void navigate({ to: PATH, params: { actionid: "new" }, search: { source } })}
      search={{ text, onText, placeholder: t("Search names") }}
      filters={
        <SegmentedControl
          aria-label={t("Event source")}
          size="xs"
          data={[...sourceOptions()]}
          value={source}
          onChange={onSource}
        />
      }
      noMatch={text === "" ? t("No actions for these events.") : undefined}
    />
  );
}

const idOf = ({ action }: ActionRow) => action.actionid;

function rowsOf(actions: readonly Action[], source: string): readonly ActionRow[] {
  return actions
    .filter(({ eventsource }) => eventsource === source)
    .map((action) => ({ action, fields: fieldsOf(action, source) }));
}

function columnsOf(nameOf: NameOf): readonly DataColumn<ActionRow>[] {
  return [
    nameColumn(PATH, idOf, ({ action }) => action.name, { width: "minmax(180px, 1fr)" }),
    {
      id: "conditions",
      title: t("Conditions"),
      width: "minmax(180px, 1.5fr)",
      cell: ({ fields }) => {
        const conditions = fields.conditions.map((it) => conditionText(it, nameOf)).join(", ");
        return (
          <span className="ellipsis" title={conditions}>
            {conditions === "" ? t("all events") : conditions}
          </span>
        );
      },
    },
    {
      id: "operations",
      title: t("Operations"),
      width: "minmax(180px, 1.5fr)",
      cell: ({ fields }) => {
        const operations = fields.operations.map((it) => operationText(it, nameOf)).join("; ");
        return (
          <span className="ellipsis" title={operations}>
            {operations === "" ? t("only on recovery or on updates") : operations}
          </span>
        );
      },
    },
    enabledColumn(ACTIONS, idOf, ({ action }) => action),
  ];
}
