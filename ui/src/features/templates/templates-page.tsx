import { Menu } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TemplateRow } from "@/api/templates";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { type Matcher, tagTexts } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { pairsOf, TagList } from "@/ui/tags";
import { useReadOnlyIds } from "@/widgets/editable";
import { ExportItems } from "@/widgets/export-items";
import { ImportButton } from "@/widgets/import-dialog";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { PickedMenu } from "@/widgets/picked-menu";
import { CloneDialog } from "./clone-dialog";
import { TEMPLATE_CALLS, useRemoveTemplates, useTemplates } from "./queries";
import { TemplateMassDialog } from "./template-mass-dialog";

const PATH = "/templates/$templateid";

export function TemplatesPage(search: ListProps) {
  const navigate = useNavigate();
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Templates")}
      note={(rows) => plural(rows.length, "1 template", "{n} templates")}
      calls={TEMPLATE_CALLS}
      query={useTemplates()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      picks="always"
      actions={({ rows, picked, clear }) => (
        <>
          <PickedTemplates rows={rows} picked={picked} onDone={clear} />
          <ImportButton />
        </>
      )}
      onOpen={(it) => open(idOf(it))}
      onNew={() => void navigate({ to: "/templates/new" })}
      search={{ ...search, placeholder: t("Search names, groups, tags") }}
    />
  );
}

const idOf = ({ templateid }: TemplateRow) => templateid;

interface PickedTemplatesProps {
  readonly rows: readonly TemplateRow[];
  readonly picked: ReadonlySet<Id>;
  readonly onDone: () => void;
}

/** Of what is picked, that which is shown. */
function PickedTemplates({ rows, picked, onDone }: PickedTemplatesProps) {
  const [open, setOpen] = useState<"update" | "clone" | undefined>(undefined);
  const navigate = useNavigate();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    onDone();
  };
  const remove = useRemoveTemplates(done);
  const shown = rows.filter((row) => picked.has(row.templateid));
  const ids = shown.map((row) => row.templateid);
  const readOnly = useReadOnlyIds("template", ids);
  const [only] = shown;
  if (only === undefined) return null;
  return (
    <>
      <PickedMenu
        object="template"
        readOnly={readOnly}
        always={<ExportItems kind="templates" ids={ids} />}
        label={plural(ids.length, "1 template", "{n} templates")}
        onDelete={() => remove.mutate(ids)}
        deleting={remove.isPending}
        deleteTitle={plural(ids.length, "Delete 1 template?", "Delete {n} templates?")}
        deleteNote={t("Objects that hosts inherited from them remain on the hosts as their own.")}
      >
        <Menu.Item onClick={() => setOpen("update")}>{t("Mass update …")}</Menu.Item>
        {shown.length === 1 ? (
          <Menu.Item onClick={() => setOpen("clone")}>{t("Clone …")}</Menu.Item>
        ) : null}
      </PickedMenu>
      {open === "update" ? (
        <TemplateMassDialog templateids={ids} onDone={done} onClose={close} />
      ) : null}
      {open === "clone" ? (
        <CloneDialog
          template={only}
          onDone={(templateid) => {
            done();
            // the dialog that was filled in is done with
            void navigate({
              to: "/templates/$templateid",
              params: { templateid },
              ignoreBlocker: true,
            });
          }}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function select(all: readonly TemplateRow[], finds: Matcher): readonly TemplateRow[] {
  return all.filter((template) =>
    finds(() => [
      template.name,
      template.host,
      vendorOf(template),
      ...template.templategroups.map((group) => group.name),
      ...tagTexts(template.tags),
    ]),
  );
}

/** Who made it, and which of its versions it is. */
function vendorOf({ vendor_name, vendor_version }: TemplateRow): string {
  return vendor_version === "" ? vendor_name : `${vendor_name}, ${vendor_version}`;
}

const COLUMNS: readonly DataColumn<TemplateRow>[] = [
  nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(150px, 2fr)" }),
  {
    id: "hosts",
    title: t("Hosts"),
    width: "76px",
    align: "right",
    sortValue: (template) => Number(template.hosts),
    cell: (template) => (
      <Link to="/hosts" search={{ templates: template.templateid }}>
        {template.hosts}
      </Link>
    ),
  },
  countColumn("items", t("Items"), (template) => template.items),
  countColumn("triggers", t("Triggers"), (template) => template.triggers),
  countColumn("discovery", t("Discovery"), (template) => template.discoveries),
  {
    id: "groups",
    wideOnly: true,
    title: t("Groups"),
    width: "minmax(190px, 1fr)",
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
    width: "minmax(190px, 1fr)",
    cell: (template) => (
      <span className="ellipsis">
        {template.parentTemplates.map(({ name }) => name).join(", ")}
      </span>
    ),
  },
  {
    id: "vendor",
    wideOnly: true,
    title: t("Vendor"),
    width: "130px",
    sortValue: vendorOf,
    cell: (template) => <span className="ellipsis">{vendorOf(template)}</span>,
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
  count: (template: TemplateRow) => string,
): DataColumn<TemplateRow> {
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
