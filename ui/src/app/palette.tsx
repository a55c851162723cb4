// The command palette: pages, hosts and templates by a few letters.

import { Spotlight, spotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.css";
import { IconArrowRight, IconServer, IconTemplate, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { fetchHostIndex } from "@/api/hosts";
import { keys } from "@/api/query-keys";
import { fetchTemplateIndex } from "@/api/templates";
import { fuzzySearch } from "@/lib/fuzzy";
import { t } from "@/lib/i18n";

interface Command {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly icon: TablerIcon;
  readonly run: () => void;
}

const SHOWN_MAX = 12;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const commands = useCommands();
  useEffect(() => spotlight.open(), []);
  const hits = fuzzySearch(query, commands, (it) => `${it.name} ${it.note}`, SHOWN_MAX);
  return (
    <Spotlight.Root
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

function useCommands(): readonly Command[] {
  const navigate = useNavigate();
  const hosts = useQuery({
    queryKey: keys.hostIndex,
    queryFn: ({ signal }) => fetchHostIndex(signal),
    staleTime: 30_000,
  });
  const templates = useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
    staleTime: 30_000,
  });
  return useMemo(() => {
    const page = (id: string, name: string, run: () => void): Command => ({
      id,
      name,
      note: t("page"),
      icon: IconArrowRight,
      run,
    });
    return [
      page("overview", t("Overview"), () => void navigate({ to: "/" })),
      page("problems", t("Problems"), () => void navigate({ to: "/problems" })),
      page("unacknowledged", t("Problems not acknowledged"), () => {
        void navigate({ to: "/problems", search: { ack: "no", status: "open" } });
      }),
      page("latest", t("Latest data"), () => void navigate({ to: "/latest" })),
      page("unsupported", t("Items not supported"), () => {
        void navigate({ to: "/latest", search: { show: "unsupported" } });
      }),
      page("hosts", t("Hosts"), () => void navigate({ to: "/hosts" })),
      page("new-host", t("New host"), () => void navigate({ to: "/hosts/new" })),
      page("templates", t("Templates"), () => void navigate({ to: "/templates" })),
      page("regexps", t("Regular expressions"), () => void navigate({ to: "/regexps" })),
      page("new-template", t("New template"), () => void navigate({ to: "/templates/new" })),
      ...(hosts.data ?? []).map(
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
  }, [navigate, hosts.data, templates.data]);
}
