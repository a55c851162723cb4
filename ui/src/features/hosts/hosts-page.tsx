import { Button, Menu, Modal, SegmentedControl } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Host, Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { tagTexts, wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { pairsOf, TagList } from "@/ui/tags";
import { PickedMenu } from "@/widgets/picked-menu";
import { TemplatePicker } from "@/widgets/pickers";
import { AvailabilityMarks, hostAvailability, interfaceAddress } from "./availability";
import classes from "./hosts.module.css";
import { useHostMutations, useHosts, useHostsByInventory } from "./queries";

export interface HostsSearch {
  readonly q?: string;
  readonly show?: string;
}

export interface HostsPageProps {
  readonly search: HostsSearch;
  readonly onSearch: (search: HostsSearch) => void;
}

export function HostsPage({ search, onSearch }: HostsPageProps) {
  const query = useHosts();
  const navigate = useNavigate();
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const byInventory = useHostsByInventory(search.q ?? "");
  const rows = useMemo(
    () => selectHosts(query.data ?? [], search, byInventory),
    [query.data, search, byInventory],
  );
  const show = search.show ?? "all";
  return (
    <Page
      title={t("Hosts")}
      note={plural(rows.length, "1 host", "{n} hosts")}
      actions={
        <>
          <PickedActions picked={[...picked]} onDone={() => setPicked(new Set())} />
          <Button
            leftSection={<IconPlus size={14} />}
            onClick={() => void navigate({ to: "/hosts/new" })}
          >
            {t("New host")}
          </Button>
        </>
      }
      filters={
        <>
          <SearchBox
            value={search.q ?? ""}
            onChange={(q) => onSearch({ ...search, q })}
            placeholder={t("Search hosts, addresses, groups, tags, inventory")}
            width={280}
          />
          <SegmentedControl
            aria-label={t("Show")}
            value={show}
            onChange={(next) => onSearch({ ...search, show: next === "all" ? "" : next })}
            data={[
              { value: "all", label: t("All") },
              { value: "unavailable", label: t("Unavailable") },
              { value: "disabled", label: t("Disabled") },
            ]}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {(hosts) => (
          <DataTable
            label={t("Hosts")}
            rows={rows}
            columns={HOST_COLUMNS}
            rowKey={(host) => host.hostid}
            picking={{ picked, onChange: setPicked }}
            onOpen={({ hostid }) => void navigate({ to: "/hosts/$hostid", params: { hostid } })}
            isDimmed={(host) => host.status === "1"}
            empty={<NoHosts any={hosts.length > 0} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function NoHosts({ any }: { readonly any: boolean }) {
  if (any) return <EmptyState title={t("No host matches.")} />;
  return (
    <EmptyState title={t("No hosts yet")}>
      <Link to="/hosts/new">{t("Create the first host")}</Link>
    </EmptyState>
  );
}

/**
 * Hosts of the search: every word must be found in names, addresses, groups, templates or tags, or the whole
 * text in the inventory, which the server has looked through.
 */
export function selectHosts(
  hosts: readonly Host[],
  search: HostsSearch,
  byInventory: ReadonlySet<Id> = new Set(),
): readonly Host[] {
  const matches = wordMatcher(search.q ?? "");
  return hosts.filter((host) => {
    if (search.show === "disabled" && host.status !== "1") return false;
    if (
      search.show === "unavailable" &&
      !hostAvailability(host).some(({ state }) => state === "unavailable")
    ) {
      return false;
    }
    if (byInventory.has(host.hostid)) return true;
    return matches(() => [
      host.name,
      host.host,
      ...host.interfaces.map(interfaceAddress),
      ...host.hostgroups.map((group) => group.name),
      ...host.parentTemplates.map((template) => template.name),
      ...tagTexts(host.tags),
    ]);
  });
}

const HOST_COLUMNS: readonly DataColumn<Host>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(130px, 1.5fr)",
    sortValue: (host) => host.name,
    cell: (host) => (
      <Link
        className="ellipsis"
        to="/hosts/$hostid"
        params={{ hostid: host.hostid }}
        title={host.host}
        data-opens-row
      >
        {host.name === "" ? host.host : host.name}
      </Link>
    ),
  },
  {
    id: "availability",
    title: t("Availability"),
    width: "132px",
    sortValue: (host) =>
      hostAvailability(host)
        .map(({ state }) => state)
        .sort()
        .reverse()
        .join(),
    cell: (host) => <AvailabilityMarks host={host} />,
  },
  {
    id: "address",
    wideOnly: true,
    title: t("Interface"),
    width: "minmax(150px, 0.9fr)",
    sortValue: (host) => host.interfaces.map(interfaceAddress).join(),
    cell: (host) => (
      <span className="ellipsis mono">{host.interfaces.map(interfaceAddress).join(", ")}</span>
    ),
  },
  countColumn("items", t("Items"), (host) => host.items),
  countColumn("triggers", t("Triggers"), (host) => host.triggers),
  countColumn("discovery", t("Discovery"), (host) => host.discoveries),
  {
    id: "groups",
    wideOnly: true,
    title: t("Groups"),
    width: "minmax(100px, 1fr)",
    sortValue: (host) => host.hostgroups.map((group) => group.name).join(),
    cell: (host) => (
      <span className="ellipsis">{host.hostgroups.map((group) => group.name).join(", ")}</span>
    ),
  },
  {
    id: "templates",
    wideOnly: true,
    title: t("Templates"),
    width: "minmax(120px, 1.3fr)",
    cell: (host) => (
      <span className={`${classes["templates"]} ellipsis`}>
        {host.parentTemplates.map(({ templateid, name }) => (
          <Link key={templateid} to="/templates/$templateid" params={{ templateid }}>
            {name}
          </Link>
        ))}
      </span>
    ),
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(140px, 1.1fr)",
    cell: (host) => <TagList tags={pairsOf(host.tags)} max={3} />,
  },
  {
    id: "status",
    title: t("Status"),
    width: "80px",
    sortValue: (host) => host.status,
    cell: (host) =>
      host.status === "0" ? (
        <span className="ok">{t("Enabled")}</span>
      ) : (
        <span className="bad">{t("Disabled")}</span>
      ),
  },
];

type CountTarget = "items" | "triggers" | "discovery";

function countColumn(
  id: CountTarget,
  title: string,
  count: (host: Host) => string,
): DataColumn<Host> {
  return {
    id,
    title,
    width: "72px",
    align: "right",
    sortValue: (host) => Number(count(host)),
    cell: (host) => (
      <Link to={`/hosts/$hostid/${id}`} params={{ hostid: host.hostid }}>
        {count(host)}
      </Link>
    ),
  };
}

interface PickedActionsProps {
  readonly picked: readonly Id[];
  readonly onDone: () => void;
}

function PickedActions({ picked, onDone }: PickedActionsProps) {
  const [linking, setLinking] = useState(false);
  const { remove, setStatus, link } = useHostMutations(() => {
    setLinking(false);
    onDone();
  });
  if (picked.length === 0) return null;
  return (
    <>
      <PickedMenu
        label={plural(picked.length, "1 host", "{n} hosts")}
        onStatus={(status) => setStatus.mutate({ hostids: picked, status })}
        onDelete={() => remove.mutate(picked)}
        deleting={remove.isPending}
        deleteTitle={plural(picked.length, "Delete 1 host?", "Delete {n} hosts?")}
        deleteNote={t("Their items, triggers, problems and history go with them.")}
      >
        <Menu.Item onClick={() => setLinking(true)}>{t("Link templates …")}</Menu.Item>
      </PickedMenu>
      {linking ? (
        <LinkDialog
          busy={link.isPending}
          onClose={() => setLinking(false)}
          onLink={(templateids) => link.mutate({ hostids: picked, templateids })}
        />
      ) : null}
    </>
  );
}

interface LinkDialogProps {
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onLink: (templateids: readonly Id[]) => void;
}

function LinkDialog({ busy, onClose, onLink }: LinkDialogProps) {
  const [templateids, setTemplateids] = useState<readonly Id[]>([]);
  return (
    <Modal opened onClose={onClose} title={t("Link templates")}>
      <TemplatePicker label={t("Templates")} value={templateids} onChange={setTemplateids} />
      <Button
        mt={12}
        loading={busy}
        disabled={templateids.length === 0}
        onClick={() => onLink(templateids)}
      >
        {t("Link")}
      </Button>
    </Modal>
  );
}
