import { Button } from "@mantine/core";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Template } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { tagTexts, wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import { ImportDialog } from "./import-dialog";
import { useTemplates } from "./queries";

export interface TemplatesPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function TemplatesPage({ text, onText }: TemplatesPageProps) {
  const query = useTemplates();
  const navigate = useNavigate();
  const [importing, setImporting] = useState(false);
  const rows = useMemo(() => selectTemplates(query.data ?? [], text), [query.data, text]);
  return (
    <Page
      title={t("Templates")}
      note={plural(rows.length, "1 template", "{n} templates")}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconFileImport size={14} />}
            onClick={() => setImporting(true)}
          >
            {t("Import")}
          </Button>
          <Button
            leftSection={<IconPlus size={14} />}
            onClick={() => void navigate({ to: "/templates/new" })}
          >
            {t("New template")}
          </Button>
        </>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, groups, tags")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Templates")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(template) => template.templateid}
            onOpen={({ templateid }) =>
              void navigate({ to: "/templates/$templateid", params: { templateid } })
            }
            empty={<EmptyState title={t("No template matches.")} />}
          />
        )}
      </QueryGate>
      <ImportDialog opened={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}

function selectTemplates(templates: readonly Template[], text: string) {
  const matches = wordMatcher(text);
  return templates.filter((template) =>
    matches(() => [
      template.name,
      template.host,
      ...template.templategroups.map((group) => group.name),
      ...tagTexts(template.tags),
    ]),
  );
}

const COLUMNS: readonly DataColumn<Template>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(150px, 2fr)",
    sortValue: (template) => template.name,
    cell: ({ templateid, name }) => (
      <Link className="ellipsis" to="/templates/$templateid" params={{ templateid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "hosts",
    title: t("Hosts"),
    width: "76px",
    align: "right",
    sortValue: (template) => Number(template.hosts),
    cell: (template) => template.hosts,
  },
  countColumn("items", t("Items"), (template) => template.items),
  countColumn("triggers", t("Triggers"), (template) => template.triggers),
  countColumn("discovery", t("Discovery"), (template) => template.discoveries),
  {
    id: "groups",
    wideOnly: true,
    title: t("Groups"),
    width: "minmax(140px, 1fr)",
    sortValue: (template) => template.templategroups.map((group) => group.name).join(),
    cell: (template) => (
      <span className="ellipsis">
        {template.templategroups.map((group) => group.name).join(", ")}
      </span>
    ),
  },
  {
    id: "parents",
    wideOnly: true,
    title: t("Linked templates"),
    width: "minmax(140px, 1fr)",
    cell: (template) => (
      <span className="ellipsis">
        {template.parentTemplates.map(({ name }) => name).join(", ")}
      </span>
    ),
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(120px, 1fr)",
    cell: (template) => <TagList tags={pairsOf(template.tags)} max={3} />,
  },
];

function countColumn(
  id: "items" | "triggers" | "discovery",
  title: string,
  count: (template: Template) => string,
): DataColumn<Template> {
  return {
    id,
    title,
    width: "80px",
    align: "right",
    sortValue: (template) => Number(count(template)),
    cell: (template) => (
      <Link to={`/templates/$templateid/${id}`} params={{ templateid: template.templateid }}>
        {count(template)}
      </Link>
    ),
  };
}
