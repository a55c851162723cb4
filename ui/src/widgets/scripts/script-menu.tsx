// Scripts that the user may start on a host, or for a problem and on its host.

import { Button, Loader, Menu } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/api/http";
import { keys } from "@/api/query-keys";
import { fetchStartable, type ScriptTarget, type StartableScript } from "@/api/scripts";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { useMayAct } from "../role";
import { foldersOf } from "./script";
import { ScriptDialog } from "./script-dialog";

export interface ScriptMenuProps {
  readonly hostid: Id;
  readonly eventid?: Id;
}

interface Chosen {
  readonly script: StartableScript;
  readonly target: ScriptTarget;
}

export function ScriptMenu({ hostid, eventid }: ScriptMenuProps) {
  const [opened, setOpened] = useState(false);
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const may = useMayAct();
  if (!may("execute_scripts")) return null;
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconTerminal2 size={13} />}
            data-print="hide"
          >
            {t("Scripts")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: "auto" }}>
          {/* asked for when the menu is opened: rights and macros may be others by then */}
          {opened && eventid !== undefined ? (
            <Scripts target={{ eventid }} title={t("For this problem")} onChoose={setChosen} />
          ) : null}
          {opened ? (
            <Scripts target={{ hostid }} title={t("On the host")} onChoose={setChosen} />
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {chosen === undefined ? null : (
        <ScriptDialog {...chosen} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

interface ScriptsProps {
  readonly target: ScriptTarget;
  readonly title: string;
  readonly onChoose: (chosen: Chosen) => void;
}

function Scripts({ target, title, onChoose }: ScriptsProps) {
  const query = useQuery({
    queryKey: keys.startable(target),
    queryFn: ({ signal }) => fetchStartable(target, {}, signal),
    gcTime: 0,
  });
  if (query.isPending) {
    return (
      <Menu.Label>
        {title} <Loader size="xs" type="dots" aria-label={t("Loading")} />
      </Menu.Label>
    );
  }
  if (query.isError) return <Menu.Label>{errorText(query.error)}</Menu.Label>;
  return (
    <>
      <Menu.Label>
        {query.data.length === 0
          ? t("{title}: no scripts are available to you.", { title })
          : title}
      </Menu.Label>
      {foldersOf(query.data).map(({ folder, scripts }) => (
        <div key={folder}>
          {folder === "" ? null : <Menu.Label>{folder}</Menu.Label>}
          {scripts.map((script) => (
            <Menu.Item
              key={script.scriptid}
              title={script.description}
              onClick={() => onChoose({ script, target })}
            >
              {script.name}
            </Menu.Item>
          ))}
        </div>
      ))}
    </>
  );
}
