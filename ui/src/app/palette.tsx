// The command palette: pages, hosts and templates by a few letters.

import { createSpotlight, Spotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.css";
import { IconArrowRight, IconServer, IconTemplate, type TablerIcon } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { searchHostNames } from "@/api/host-names";
import { keys } from "@/api/query-keys";
import { fetchTemplateIndex } from "@/api/templates";
import { fuzzySearch } from "@/lib/fuzzy";
import { t } from "@/lib/i18n";
import { foundPages } from "./pages";

interface Command {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** found by them, too */
  readonly words?: string;
  readonly icon: TablerIcon;
  readonly run: () => void;
}

const SHOWN_MAX = 12;

const [store, spotlight] = createSpotlight();

/** Spotlight chooses the first hit as one types; what comes later is for us to choose. */
function chooseFirst(): HTMLElement | undefined {
  const list = document.getElementById(store.getState().listId);
  const [first, ...others] = list?.querySelectorAll<HTMLElement>("[data-action]") ?? [];
  for (const it of others) delete it.dataset["selected"];
  if (first === undefined) return undefined;
  first.dataset["selected"] = "true";
  store.updateState((state) => ({ ...state, selected: 0 }));
  return first;
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const { commands, settled } = useCommands(query);
  const entered = useRef(false);
  useEffect(() => spotlight.open(), []);
  const hits = fuzzySearch(
    query,
    commands,
    ({ name, note, words = "" }) => `${name} ${note} ${words}`,
    SHOWN_MAX,
  );
  const shown = query.trim() === "" ? "" : hits.map(({ id }) => id).join();
  // hits that arrive after typing can be chosen as well, also if Enter was pressed before they arrived
  useEffect(() => {
    if (shown === "") return;
    const first = chooseFirst();
    if (!settled || !entered.current) return;
    entered.current = false;
    first?.click();
  }, [shown, settled]);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      lockScroll={false}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { "aria-label": t("Search pages, hosts and templates") } }}
    >
      <Spotlight.Search
        placeholder={t("Search pages, hosts and templates")}
        aria-label={t("Search pages, hosts and templates")}
        onKeyDownCapture={(event) => {
          entered.current = event.key === "Enter" && !settled;
          if (entered.current) event.stopPropagation();
        }}
      />
      <Spotlight.ActionsList>
        {hits.map((command) => (
          <Spotlight.Action
            key={command.id}
            label={command.name}
            description={command.note}
            leftSection={<command.icon size={16} stroke={1.6} aria-hidden />}
            onClick={command.run}
          />
        ))}
        {hits.length === 0 ? <Spotlight.Empty>{t("Nothing found")}</Spotlight.Empty> : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Hosts are looked up by the server: there may be a hundred thousand. */
function useCommands(query: string) {
  const navigate = useNavigate();
  const { user } = useRouteContext({ from: "/shell" });
  const text = query.trim();
  const hosts = useQuery({
    queryKey: keys.hostNames(text, SHOWN_MAX),
    queryFn: ({ signal }) => searchHostNames(text, SHOWN_MAX, signal),
    enabled: text !== "",
    // what was found stays while one types on
    placeholderData: keepPreviousData,
  });
  const templates = useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
    staleTime: 30_000,
  });
  const commands = useMemo((): readonly Command[] => {
    return [
      ...foundPages(user).map(
        ({ title, words, href }): Command => ({
          id: href,
          name: title,
          note: t("page"),
          words,
          icon: IconArrowRight,
          run: () => void navigate({ href }),
        }),
      ),
      ...(text === "" ? [] : (hosts.data ?? [])).map(
        ({ hostid, name }): Command => ({
          id: `host ${hostid}`,
          name,
          note: t("host"),
          icon: IconServer,
          run: () => void navigate({ to: "/hosts/$hostid", params: { hostid } }),
        }),
      ),
      ...(templates.data ?? []).map(
        ({ templateid, name }): Command => ({
          id: `template ${templateid}`,
          name,
          note: t("template"),
          icon: IconTemplate,
          run: () => void navigate({ to: "/templates/$templateid", params: { templateid } }),
        }),
      ),
    ];
  }, [navigate, text, hosts.data, templates.data, user]);
  // while hosts of the letters before stand in for those of these
  return { commands, settled: text === "" || !(hosts.isPending || hosts.isPlaceholderData) };
}
