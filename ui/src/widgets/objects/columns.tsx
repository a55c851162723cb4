// Columns that lists of objects share, and the way from a row to the page of its object.

import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, type RegisteredRouter, useNavigate } from "@tanstack/react-router";
import { changed } from "@/api/changes";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { DataColumn } from "@/ui/data-table";
import { notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "./calls";

/** The address of an object's page, with its id as the only parameter. */
export type ObjectPath = Extract<keyof RegisteredRouter["routesByPath"], `/${string}/$${string}`>;

function addressOf(path: ObjectPath, id: Id): string {
  return path.replace(/\$\w+/, id);
}

/** Opens the page of an object; "new": that of a new one. */
export function useOpen(path: ObjectPath): (id: Id | "new") => void {
  const navigate = useNavigate();
  return (id) => void navigate({ href: addressOf(path, id) });
}

interface NameColumnOptions {
  readonly id?: string;
  readonly title?: string;
  readonly width?: string;
}

/** The name, linked to the page of the object. */
export function nameColumn<Row>(
  path: ObjectPath,
  idOf: (row: Row) => Id,
  nameOf: (row: Row) => string,
  { id = "name", title = t("Name"), width = "minmax(160px, 1fr)" }: NameColumnOptions = {},
): DataColumn<Row> {
  return {
    id,
    title,
    width,
    sortValue: nameOf,
    cell: (row) => (
      <Link className="ellipsis" to={addressOf(path, idOf(row))} data-opens-row>
        {nameOf(row)}
      </Link>
    ),
  };
}

interface Switched {
  readonly name: string;
  readonly status: string;
}

type SwitchCalls = Pick<ObjectCalls<{ readonly status: string }>, "change" | "update">;

/** A switch that enables and disables the object; `objectOf`: of the row. */
export function enabledColumn<Row>(
  calls: SwitchCalls,
  idOf: (row: Row) => Id,
  objectOf: (row: Row) => Switched,
): DataColumn<Row> {
  return {
    id: "status",
    title: t("Enabled"),
    width: "90px",
    sortValue: (row) => objectOf(row).status,
    cell: (row) => <StatusSwitch calls={calls} id={idOf(row)} object={objectOf(row)} />,
  };
}

interface StatusSwitchProps {
  readonly calls: SwitchCalls;
  readonly id: Id;
  readonly object: Switched;
}

function StatusSwitch({ calls, id, object: { name, status } }: StatusSwitchProps) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (isEnabled: boolean) => calls.update(id, { status: isEnabled ? "0" : "1" }),
    onSuccess: () => changed(client, calls.change),
    onError: (error) => notifyFailed(t("The status could not be changed."), error),
  });
  return (
    <Switch
      size="xs"
      aria-label={t("{name} enabled", { name })}
      checked={status === "0"}
      disabled={change.isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
}

/** "Enabled" or "Disabled"; `isEnabled`: of the row. */
export function statusColumn<Row>(isEnabled: (row: Row) => boolean): DataColumn<Row> {
  return {
    id: "status",
    title: t("Status"),
    width: "110px",
    sortValue: (row) => (isEnabled(row) ? 0 : 1),
    cell: (row) =>
      isEnabled(row) ? (
        <span className="ok">{t("Enabled")}</span>
      ) : (
        <span className="bad">{t("Disabled")}</span>
      ),
  };
}
