// Actions by event source: for which events, what they do, and whether they are enabled.

import { SegmentedControl, Switch } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Action } from "@/api/actions";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { conditionText, type NameOf, sourceOptions } from "./conditions";
import { type ActionFields, fieldsOf, operationText } from "./draft";
import { useActionStatus, useActions, useNames } from "./queries";

export interface ActionsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly source: string;
  readonly onSource: (source: string) => void;
}

interface ActionRow {
  readonly action: Action;
  readonly fields: ActionFields;
}

export function ActionsPage({ text, onText, source, onSource }: ActionsPageProps) {
  const query = useActions();
  const navigate = useNavigate();
  const rows = useMemo((): readonly ActionRow[] => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? [])
      .filter((it) => it.eventsource === source)
      .filter((it) => words.every((word) => it.name.toLowerCase().includes(word)))
      .map((action) => ({ action, fields: fieldsOf(action, source) }));
  }, [query.data, text, source]);
  const nameOf = useNames(rows.map(({ fields }) => fields));
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const open = (actionid: string) =>
    void navigate({
      to: "/actions/$actionid",
      params: { actionid },
      search: actionid === "new" ? { source } : {},
    });
  return (
    <Page
      title={t("Actions")}
      note={plural(rows.length, "1 action", "{n} actions")}
      actions={
        <NewButton call="action.create" onClick={() => open("new")}>
          {t("New action")}
        </NewButton>
      }
      filters={
        <>
          <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
          <SegmentedControl
            aria-label={t("Event source")}
            size="xs"
            data={[...sourceOptions()]}
            value={source}
            onChange={onSource}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Actions")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.action.actionid}
            isDimmed={(it) => it.action.status === "1"}
            onOpen={(it) => open(it.action.actionid)}
            empty={
              <EmptyState
                title={text === "" ? t("No actions for these events.") : t("No action matches.")}
              />
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function columnsOf(nameOf: NameOf): readonly DataColumn<ActionRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(180px, 1fr)",
      sortValue: (it) => it.action.name,
      cell: ({ action: { actionid, name } }) => (
        <Link className="ellipsis" to="/actions/$actionid" params={{ actionid }} data-opens-row>
          {name}
        </Link>
      ),
    },
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
    {
      id: "status",
      title: t("Enabled"),
      width: "90px",
      sortValue: (it) => it.action.status,
      cell: ({ action }) => <StatusSwitch action={action} />,
    },
  ];
}

function StatusSwitch({ action }: { readonly action: Action }) {
  const status = useActionStatus();
  return (
    <Switch
      size="xs"
      aria-label={t("{name} enabled", { name: action.name })}
      checked={action.status === "0"}
      disabled={status.isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) =>
        status.mutate({ id: action.actionid, isEnabled: event.currentTarget.checked })
      }
    />
  );
}
