// Scripts: what users and actions start.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Script } from "@/api/scripts";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { labelOf, scopeOptions, typeOptions } from "./draft";
import { SCRIPTS, useScript, useScripts } from "./queries";
import { ScriptForm } from "./script-form";

export interface ScriptsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function ScriptsPage({ text, onText }: ScriptsPageProps) {
  const query = useScripts();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = ({ name, menu_path }: Script) =>
      words.every((word) => `${menu_path} ${name}`.toLowerCase().includes(word));
    return (query.data ?? []).filter(matches);
  }, [query.data, text]);
  const open = (scriptid: string) =>
    void navigate({ to: "/scripts/$scriptid", params: { scriptid } });
  return (
    <Page
      title={t("Scripts")}
      note={plural(rows.length, "1 script", "{n} scripts")}
      actions={
        <NewButton call="script.create" onClick={() => open("new")}>
          {t("New script")}
        </NewButton>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Scripts")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => it.scriptid}
            onOpen={(it) => open(it.scriptid)}
            empty={
              <EmptyState title={text === "" ? t("No scripts yet") : t("No script matches.")} />
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

const COLUMNS: readonly DataColumn<Script>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => `${it.menu_path}/${it.name}`,
    cell: ({ scriptid, name }) => (
      <Link className="ellipsis" to="/scripts/$scriptid" params={{ scriptid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "menu",
    title: t("Menu"),
    width: "minmax(100px, 0.7fr)",
    cell: (it) => <span className="ellipsis">{it.menu_path}</span>,
  },
  {
    id: "scope",
    title: t("Scope"),
    width: "170px",
    sortValue: (it) => it.scope,
    cell: (it) => labelOf(scopeOptions(), it.scope),
  },
  {
    id: "type",
    title: t("Type"),
    width: "140px",
    sortValue: (it) => it.type,
    cell: (it) => labelOf(typeOptions(), it.type),
  },
  {
    id: "command",
    title: t("Command"),
    width: "minmax(200px, 2fr)",
    cell: (it) => <span className="ellipsis mono">{it.url === "" ? it.command : it.url}</span>,
  },
];

export interface ScriptPageProps {
  readonly scriptid: string;
  readonly onDone: () => void;
}

export function ScriptPage({ scriptid, onDone }: ScriptPageProps) {
  return (
    <ObjectPage id={scriptid} audited="script" words={SCRIPTS.words} query={useScript(scriptid)}>
      {(script) => <ScriptForm key={scriptid} script={script} onDone={onDone} />}
    </ObjectPage>
  );
}
