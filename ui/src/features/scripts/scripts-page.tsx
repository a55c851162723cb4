// Scripts: what users and actions start.

import type { Script } from "@/api/scripts";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { labelOf, scopeOptions, typeOptions } from "./draft";
import { SCRIPTS, useScript, useScripts } from "./queries";
import { ScriptForm } from "./script-form";

const PATH = "/scripts/$scriptid";

export function ScriptsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Scripts")}
      note={(rows) => plural(rows.length, "1 script", "{n} scripts")}
      calls={SCRIPTS}
      query={useScripts()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("No scripts yet")}
    />
  );
}

const idOf = ({ scriptid }: Script) => scriptid;

function select(all: readonly Script[], finds: Matcher): readonly Script[] {
  return all.filter(({ name, menu_path }) => finds(() => [menu_path, name]));
}

const COLUMNS: readonly DataColumn<Script>[] = [
  {
    ...nameColumn(PATH, idOf, ({ name }: Script) => name),
    sortValue: (it) => `${it.menu_path}/${it.name}`,
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
