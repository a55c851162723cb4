// Groups of hosts and groups of templates: permissions and filters name them.

import { Link } from "@tanstack/react-router";
import type { HostGroup, TemplateGroup } from "@/api/groups";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { ReadOnlyArea } from "@/ui/rights";
import { ObjectArea } from "@/widgets/editable";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { GroupForm } from "./group-form";
import {
  HOST_GROUPS,
  TEMPLATE_GROUPS,
  useHostGroup,
  useHostGroups,
  useTemplateGroup,
  useTemplateGroups,
} from "./queries";

const HOST_PATH = "/hostgroups/$groupid";
const TEMPLATE_PATH = "/templategroups/$groupid";

const DISCOVERED = "4";

export function HostGroupsPage(search: ListProps) {
  const open = useOpen(HOST_PATH);
  return (
    <ObjectList
      title={t("Host groups")}
      note={(rows) => plural(rows.length, "1 host group", "{n} host groups")}
      calls={HOST_GROUPS}
      query={useHostGroups()}
      select={select<HostGroup>}
      columns={HOST_COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There are no host groups yet.")}
    />
  );
}

export function TemplateGroupsPage(search: ListProps) {
  const open = useOpen(TEMPLATE_PATH);
  return (
    <ObjectList
      title={t("Template groups")}
      note={(rows) => plural(rows.length, "1 template group", "{n} template groups")}
      calls={TEMPLATE_GROUPS}
      query={useTemplateGroups()}
      select={select<TemplateGroup>}
      columns={TEMPLATE_COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There are no template groups yet.")}
    />
  );
}

interface Group {
  readonly groupid: string;
  readonly name: string;
}

const idOf = ({ groupid }: Group) => groupid;
const nameOf = ({ name }: Group) => name;

function select<T extends Group>(all: readonly T[], finds: Matcher): readonly T[] {
  return all.filter(({ name }) => finds(() => [name]));
}

const HOST_COLUMNS: readonly DataColumn<HostGroup>[] = [
  nameColumn(HOST_PATH, idOf, nameOf),
  {
    id: "hosts",
    title: t("Hosts"),
    width: "90px",
    align: "right",
    sortValue: ({ hosts }) => Number(hosts),
    cell: ({ groupid, hosts }) => (
      <Link to="/hosts" search={{ groups: groupid }}>
        {hosts}
      </Link>
    ),
  },
  {
    id: "origin",
    title: t("Origin"),
    width: "120px",
    wideOnly: true,
    sortValue: ({ flags }) => flags,
    cell: ({ flags }) => (
      <span className="dim">{flags === DISCOVERED ? t("discovered") : t("own")}</span>
    ),
  },
];

const TEMPLATE_COLUMNS: readonly DataColumn<TemplateGroup>[] = [
  nameColumn(TEMPLATE_PATH, idOf, nameOf),
  {
    id: "templates",
    title: t("Templates"),
    width: "120px",
    align: "right",
    sortValue: ({ templates }) => Number(templates),
    cell: ({ name, templates }) => (
      <Link to="/templates" search={{ q: name }}>
        {templates}
      </Link>
    ),
  },
];

export interface GroupPageProps {
  readonly groupid: string;
  readonly onDone: () => void;
}

export function HostGroupPage({ groupid, onDone }: GroupPageProps) {
  return (
    <ObjectPage
      id={groupid}
      audited="hostGroup"
      words={HOST_GROUPS.words}
      query={useHostGroup(groupid)}
    >
      {(group) => (
        <ReadOnlyArea
          reason={
            group?.flags === DISCOVERED
              ? t("This group was created by discovery: change its prototype.")
              : undefined
          }
        >
          <ObjectArea kind="hostgroup" id={group?.groupid}>
            <GroupForm
              key={groupid}
              kind="hostgroup"
              calls={HOST_GROUPS}
              group={group}
              onDone={onDone}
            />
          </ObjectArea>
        </ReadOnlyArea>
      )}
    </ObjectPage>
  );
}

export function TemplateGroupPage({ groupid, onDone }: GroupPageProps) {
  return (
    <ObjectPage
      id={groupid}
      audited="templateGroup"
      words={TEMPLATE_GROUPS.words}
      query={useTemplateGroup(groupid)}
    >
      {(group) => (
        <ObjectArea kind="templategroup" id={group?.groupid}>
          <GroupForm
            key={groupid}
            kind="templategroup"
            calls={TEMPLATE_GROUPS}
            group={group}
            onDone={onDone}
          />
        </ObjectArea>
      )}
    </ObjectPage>
  );
}
