// The tree of services: the status of each, and the problems that explain it.

import { ActionIcon, Switch } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import type { ServiceRow } from "@/api/services";
import { plural, t } from "@/lib/i18n";
import { toSeverity } from "@/lib/severity";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { useLock } from "@/ui/rights";
import { SeverityLabel, SeverityMark, severityWidth } from "@/ui/severity-mark";
import { TagList } from "@/ui/tags";
import { useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { SERVICES, useServices } from "./queries";
import classes from "./services.module.css";
import { SERVICE_OK, type TreeLine, treeLines } from "./tree";

export interface ServicesPageProps extends ListProps {
  readonly onlyProblems: boolean;
  readonly onOnlyProblems: (only: boolean) => void;
}

const PATH = "/services/$serviceid";

export function ServicesPage(props: ServicesPageProps) {
  const { text, onText, onlyProblems, onOnlyProblems } = props;
  const query = useServices();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback(
    (all: readonly ServiceRow[]) => treeLines(all, folded, { text, onlyProblems }),
    [folded, text, onlyProblems],
  );
  const columns = useMemo(
    () =>
      columnsOf((path) =>
        setFolded((before) => {
          const next = new Set(before);
          if (!next.delete(path)) next.add(path);
          return next;
        }),
      ),
    [],
  );
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Services")}
      note={() => noteOf(query.data ?? [])}
      calls={SERVICES}
      query={query}
      select={select}
      columns={columns}
      rowKey={({ path }) => path}
      onOpen={({ service }) => open(service.serviceid)}
      onNew={() => open("new")}
      search={{ text, onText, placeholder: t("Search names, tags") }}
      filters={
        <Switch
          label={t("Only with problems")}
          checked={onlyProblems}
          onChange={(event) => onOnlyProblems(event.currentTarget.checked)}
        />
      }
      none={t("There are no services yet.")}
    />
  );
}

function noteOf(all: readonly ServiceRow[]): string {
  const bad = all.filter(({ status }) => status !== SERVICE_OK).length;
  return bad === 0
    ? plural(all.length, "1 service", "{n} services")
    : plural(bad, "1 service has problems", "{n} services have problems");
}

function columnsOf(onFold: (path: string) => void): readonly DataColumn<TreeLine>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(220px, 2fr)",
      cell: (line) => <NameCell line={line} onFold={onFold} />,
    },
    {
      id: "status",
      title: t("Status"),
      width: severityWidth(),
      cell: ({ service }) => <Status status={service.status} />,
    },
    {
      id: "cause",
      title: t("Root cause"),
      width: "minmax(160px, 2fr)",
      cell: ({ service }) => <RootCause service={service} />,
    },
    {
      id: "tags",
      title: t("Tags"),
      width: "minmax(120px, 1fr)",
      wideOnly: true,
      cell: ({ service }) => <TagList tags={service.tags.map(({ tag, value }) => [tag, value])} />,
    },
    {
      id: "add",
      title: <span className="unseen">{t("Add a child")}</span>,
      width: "40px",
      wideOnly: true,
      cell: ({ service }) => <AddChild service={service} />,
    },
  ];
}

interface NameCellProps {
  readonly line: TreeLine;
  readonly onFold: (path: string) => void;
}

function NameCell({ line, onFold }: NameCellProps) {
  const { path, depth, service, children, unfolded } = line;
  return (
    <span className={classes["name"]} data-depth={Math.min(depth, DEPTH_MAX)}>
      {children === 0 ? (
        <span className={classes["leaf"]} />
      ) : (
        <ActionIcon
          size="xs"
          aria-label={
            unfolded
              ? t("Collapse {name}", { name: service.name })
              : t("Expand {name}", { name: service.name })
          }
          aria-expanded={unfolded}
          onClick={(event) => {
            event.stopPropagation();
            onFold(path);
          }}
        >
          {unfolded ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        </ActionIcon>
      )}
      <Link
        className="ellipsis"
        to="/services/$serviceid"
        params={{ serviceid: service.serviceid }}
        data-opens-row
      >
        {service.name}
      </Link>
      {children === 0 ? null : <span className="dim">{children}</span>}
    </span>
  );
}

/** Deeper ones stand no further to the right. */
const DEPTH_MAX = 8;

function Status({ status }: { readonly status: string }) {
  if (status === SERVICE_OK) return <span className="ok">{t("OK")}</span>;
  return <SeverityLabel severity={toSeverity(status)} />;
}

function RootCause({ service }: { readonly service: ServiceRow }) {
  const [first, ...rest] = [...service.problem_events].sort(
    (a, b) => Number(b.severity) - Number(a.severity),
  );
  if (first === undefined) return <span className="dim">–</span>;
  return (
    <span
      className={classes["cause"]}
      title={service.problem_events.map(({ name }) => name).join("\n")}
    >
      <SeverityMark severity={toSeverity(first.severity)} size={14} />
      <Link className="ellipsis" to="/problems" search={{ event: first.eventid }}>
        {first.name}
      </Link>
      {rest.length === 0 ? null : (
        <span className="dim">{t("and {n} more", { n: rest.length })}</span>
      )}
    </span>
  );
}

function AddChild({ service }: { readonly service: ServiceRow }) {
  const lock = useLock("service.create");
  if (service.readonly || lock !== undefined) return null;
  return (
    <Link
      to="/services/$serviceid"
      params={{ serviceid: "new" }}
      search={{ parent: service.serviceid }}
      aria-label={t("Add a child to {name}", { name: service.name })}
    >
      <IconPlus size={14} />
    </Link>
  );
}
