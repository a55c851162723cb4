// Hosts, however many: the server searches, sorts and sends the rows that are in view (`host-windows.ts`).

import { ActionIcon, Button, Menu, Select, Tooltip } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import { fetchHostIds, type HostOrder, type HostQuery } from "@/api/hosts";
import type { HostRow, Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { plural, t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { FilterChip } from "@/ui/filter-chip";
import { FormDialog } from "@/ui/form-dialog";
import { ListLink } from "@/ui/list-link";
import { NewButton } from "@/ui/new-button";
import { notifyFailed } from "@/ui/notify";
import { Page } from "@/ui/page";
import { May } from "@/ui/rights";
import { RowTable } from "@/ui/row-table";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, FailedState, LoadingState } from "@/ui/states";
import { pairsOf, TagList, tagText } from "@/ui/tags";
import type { Column } from "@/ui/virtual-table";
import { useReadOnlyIds } from "@/widgets/editable";
import { ExportItems } from "@/widgets/export-items";
import { ImportButton } from "@/widgets/import-dialog";
import { PickedMenu } from "@/widgets/picked-menu";
import { GroupPicker, TemplatePicker } from "@/widgets/pickers";
import { AvailabilityMarks, interfaceAddress } from "./availability";
import {
  AVAILABILITIES,
  type HostsSearch,
  isFiltered,
  readHosts,
  readOrder,
  STATUSES,
  writeHosts,
} from "./filter";
import { HostMassDialog } from "./host-mass-dialog";
import { useHostList } from "./host-windows";
import classes from "./hosts.module.css";
import { useHostMutations } from "./queries";

export interface HostsPageProps {
  readonly search: HostsSearch;
  readonly onSearch: (search: HostsSearch) => void;
}

export function HostsPage({ search, onSearch }: HostsPageProps) {
  const query = useMemo(() => readHosts(search), [search]);
  const order = useMemo(() => readOrder(search), [search]);
  const list = useHostList(query, order);
  const navigate = useNavigate();
  const { picking, picked, clear } = usePicking(query);
  const change = useCallback(
    (next: Partial<HostQuery>) => onSearch(writeHosts({ ...query, ...next }, order)),
    [query, order, onSearch],
  );
  const addTag = useCallback(
    (tag: TagPair) => {
      const known = query.tags.some(([name, value]) => name === tag[0] && value === tag[1]);
      if (!known) change({ tags: [...query.tags, tag] });
    },
    [query.tags, change],
  );
  const columns = useMemo(() => hostColumns(addTag), [addTag]);
  const reset = () => onSearch(writeHosts(readHosts({}), order));
  return (
    <Page
      title={t("Hosts")}
      note={<ListNote total={list.total} failed={list.error !== undefined} onRetry={list.retry} />}
      actions={
        <>
          <PickedActions picked={picked} onDone={clear} />
          <ImportButton />
          <NewButton call="host.create" onClick={() => void navigate({ to: "/hosts/new" })}>
            {t("New host")}
          </NewButton>
        </>
      }
      filters={<HostFilters query={query} onChange={change} onReset={reset} />}
    >
      {list.total === undefined ? (
        <NoRows error={list.error} onRetry={list.retry} />
      ) : (
        <div className={classes["list"]} data-stale={list.stale || undefined}>
          <RowTable
            label={t("Hosts")}
            columns={columns}
            count={list.total}
            getRow={list.rowAt}
            rowKey={(host) => host.hostid}
            windowed
            sort={order}
            onSort={(next: HostOrder) => onSearch(writeHosts(query, next))}
            picking={picking}
            onOpen={({ hostid }) => void navigate({ to: "/hosts/$hostid", params: { hostid } })}
            isDimmed={(host) => host.status === "1"}
            onVisible={list.onVisible}
            listKey={list.listKey}
            empty={<NoHosts filtered={isFiltered(query)} onReset={reset} />}
          />
        </div>
      )}
    </Page>
  );
}

/** Rows that are picked, of one query: what another one does not show must not be changed unseen. */
function usePicking(query: HostQuery) {
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const clear = useCallback(() => setPicked(new Set()), []);
  const key = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query
  useEffect(clear, [key, clear]);
  const all = useMutation({
    mutationFn: (wanted: HostQuery) => fetchHostIds(wanted),
    onSuccess: (hostids, wanted) => {
      if (JSON.stringify(wanted) === key) setPicked(new Set(hostids));
    },
    onError: (error) => notifyFailed(t("The hosts could not be loaded."), error),
  });
  const picking = {
    picked,
    onChange: setPicked,
    onAll: () => all.mutate(query),
    busy: all.isPending,
  };
  return { picking, picked: useMemo(() => [...picked], [picked]), clear };
}

interface ListNoteProps {
  readonly total: number | undefined;
  readonly failed: boolean;
  readonly onRetry: () => void;
}

function ListNote({ total, failed, onRetry }: ListNoteProps) {
  if (total === undefined) return null;
  return (
    <>
      {plural(total, "1 host", "{n} hosts")}
      {failed ? (
        <span role="alert" className={classes["failed"]}>
          {t("Some rows could not be loaded.")}
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            {t("Try again")}
          </Button>
        </span>
      ) : null}
    </>
  );
}

function NoRows({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return error === undefined ? <LoadingState /> : <FailedState error={error} onRetry={onRetry} />;
}

interface NoHostsProps {
  readonly filtered: boolean;
  readonly onReset: () => void;
}

function NoHosts({ filtered, onReset }: NoHostsProps) {
  if (filtered) {
    return (
      <EmptyState title={t("No host matches.")}>
        <Button variant="default" onClick={onReset}>
          {t("Reset filters")}
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("No hosts yet")}>
      <May call="host.create">
        <Link to="/start">{t("Monitor the first machine or device")}</Link>
      </May>
    </EmptyState>
  );
}

interface HostFiltersProps {
  readonly query: HostQuery;
  readonly onChange: (change: Partial<HostQuery>) => void;
  readonly onReset: () => void;
}

function HostFilters({ query, onChange, onReset }: HostFiltersProps) {
  return (
    <>
      <SearchBox
        value={query.text}
        onChange={(text) => onChange({ text })}
        placeholder={t("Search hosts, addresses, tags, inventory")}
        width={280}
      />
      <GroupPicker
        kind="hostgroup"
        label=""
        placeholder={t("All host groups")}
        value={query.groupids}
        onChange={(groupids) => onChange({ groupids })}
      />
      <TemplatePicker
        label=""
        placeholder={t("All templates")}
        value={query.templateids}
        onChange={(templateids) => onChange({ templateids })}
      />
      <Select
        aria-label={t("Availability")}
        w={172}
        value={query.availability ?? ANY}
        onChange={(it) => onChange({ availability: codeIn(AVAILABILITIES, it) })}
        data={[
          { value: ANY, label: t("Any availability") },
          { value: AVAILABILITIES.available, label: t("Available") },
          { value: AVAILABILITIES.unavailable, label: t("Unavailable") },
          { value: AVAILABILITIES.unknown, label: t("Unknown") },
        ]}
      />
      <Select
        aria-label={t("Status")}
        w={162}
        value={query.status ?? ANY}
        onChange={(it) => onChange({ status: codeIn(STATUSES, it) })}
        data={[
          { value: ANY, label: t("Any status") },
          { value: STATUSES.enabled, label: t("Enabled") },
          { value: STATUSES.disabled, label: t("Disabled") },
        ]}
      />
      {query.tags.map((tag) => (
        <FilterChip
          key={tagText(tag)}
          name={tagText(tag)}
          onRemove={() => onChange({ tags: query.tags.filter((it) => it !== tag) })}
        />
      ))}
      {isFiltered(query) ? (
        <Tooltip label={t("Reset filters")}>
          <ActionIcon aria-label={t("Reset filters")} onClick={onReset}>
            <IconFilterOff size={15} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </>
  );
}

// stands for no filter; codes are numbers
const ANY = "any";

function codeIn<Code extends string>(
  codes: Readonly<Record<string, Code>>,
  text: string | null,
): Code | undefined {
  return Object.values(codes).find((it) => it === text);
}

const hostColumns = (onTag: (tag: TagPair) => void): readonly Column<HostRow>[] => [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(130px, 1.5fr)",
    sortable: true,
    cell: (host) => (
      <ListLink to={`/hosts/${host.hostid}`} title={host.host} opensRow>
        {host.name === "" ? host.host : host.name}
      </ListLink>
    ),
  },
  {
    id: "availability",
    title: t("Availability"),
    width: "132px",
    sortable: true,
    cell: (host) => <AvailabilityMarks host={host} />,
  },
  {
    id: "address",
    wideOnly: true,
    title: t("Interface"),
    width: "minmax(150px, 0.9fr)",
    sortable: true,
    cell: (host) => (
      <span className="ellipsis mono">{host.interfaces.map(interfaceAddress).join(", ")}</span>
    ),
  },
  countColumn("items", t("Items")),
  countColumn("triggers", t("Triggers")),
  countColumn("discoveries", t("Discovery")),
  {
    id: "groups",
    wideOnly: true,
    title: t("Groups"),
    width: "minmax(100px, 1fr)",
    sortable: true,
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
          <ListLink key={templateid} to={`/templates/${templateid}`}>
            {name}
          </ListLink>
        ))}
      </span>
    ),
  },
  {
    id: "tags",
    wideOnly: true,
    title: t("Tags"),
    width: "minmax(140px, 1.1fr)",
    cell: (host) => <TagList tags={pairsOf(host.tags)} onPick={onTag} max={3} />,
  },
  {
    id: "status",
    title: t("Status"),
    width: "104px",
    sortable: true,
    cell: (host) =>
      host.status === "0" ? (
        <span className="ok">{t("Enabled")}</span>
      ) : (
        <span className="bad">{t("Disabled")}</span>
      ),
  },
];

type Counted = "items" | "triggers" | "discoveries";
const PARTS = { items: "items", triggers: "triggers", discoveries: "discovery" } as const;

function countColumn(id: Counted, title: string): Column<HostRow> {
  return {
    id,
    title,
    width: "72px",
    align: "right",
    sortable: true,
    cell: (host) => <ListLink to={`/hosts/${host.hostid}/${PARTS[id]}`}>{host[id]}</ListLink>,
  };
}

interface PickedActionsProps {
  readonly picked: readonly Id[];
  readonly onDone: () => void;
}

function PickedActions({ picked, onDone }: PickedActionsProps) {
  const [linking, setLinking] = useState(false);
  const [updating, setUpdating] = useState(false);
  const readOnly = useReadOnlyIds("host", picked);
  const { remove, setStatus, link } = useHostMutations(() => {
    setLinking(false);
    onDone();
  });
  if (picked.length === 0) return null;
  return (
    <>
      <PickedMenu
        object="host"
        readOnly={readOnly}
        always={<ExportItems kind="hosts" ids={picked} />}
        label={plural(picked.length, "1 host", "{n} hosts")}
        onStatus={(status) => setStatus.mutate({ hostids: picked, status })}
        onDelete={() => remove.mutate(picked)}
        deleting={remove.isPending}
        deleteTitle={plural(picked.length, "Delete 1 host?", "Delete {n} hosts?")}
        deleteNote={t("Their items, triggers, problems and history are also deleted.")}
      >
        <Menu.Item onClick={() => setLinking(true)}>{t("Link templates …")}</Menu.Item>
        <Menu.Item onClick={() => setUpdating(true)}>{t("Mass update …")}</Menu.Item>
      </PickedMenu>
      {updating ? (
        <HostMassDialog
          hostids={picked}
          onClose={() => setUpdating(false)}
          onDone={() => {
            setUpdating(false);
            onDone();
          }}
        />
      ) : null}
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

const LinkDialog = asDialog(LinkDialogBody);

function LinkDialogBody({ busy, onClose, onLink }: LinkDialogProps) {
  const [templateids, setTemplateids] = useState<readonly Id[]>([]);
  return (
    <FormDialog title={t("Link templates")} changed={templateids.length > 0} onClose={onClose}>
      <TemplatePicker label={t("Templates")} value={templateids} onChange={setTemplateids} />
      <Button
        mt={12}
        loading={busy}
        disabled={templateids.length === 0}
        onClick={() => onLink(templateids)}
      >
        {t("Link")}
      </Button>
    </FormDialog>
  );
}
