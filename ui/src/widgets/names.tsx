// Users and user groups by name, and a picker of what has an id and a name.

import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { fetchUserGroupNames, fetchUserNames, type Named } from "@/api/actions";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";

export function useUserNames() {
  return useQuery({ queryKey: keys.userNames, queryFn: ({ signal }) => fetchUserNames(signal) });
}

export function useUserGroupNames() {
  return useQuery({
    queryKey: keys.userGroupNames,
    queryFn: ({ signal }) => fetchUserGroupNames(signal),
  });
}

/** With what is picked but not there any more, or not to be seen: it can still be taken out. */
export function nameOptions(names: readonly Named[], picked: readonly Id[]) {
  const known = new Set(names.map(({ id }) => id));
  const lost = picked.filter((id) => id !== "" && !known.has(id));
  return [
    ...names.map(({ id, name }) => ({ value: id, label: name })),
    ...[...new Set(lost)].map((id) => ({ value: id, label: `#${id}` })),
  ];
}

export interface NamesPickerProps {
  readonly label: string;
  readonly names: readonly Named[];
  readonly value: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
}

export function NamesPicker({ label, names, value, onChange }: NamesPickerProps) {
  return (
    <MultiSelect
      label={label}
      data={nameOptions(names, value)}
      value={[...value]}
      onChange={onChange}
      searchable
      limit={100}
      nothingFoundMessage={t("Nothing found")}
      hidePickedOptions
    />
  );
}
