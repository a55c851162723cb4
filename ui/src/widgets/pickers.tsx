// Pickers of groups and templates by name. Lists of thousands are fine: only the best hits are drawn.

import { MultiSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { createGroup, fetchHostGroups, fetchTemplateGroups } from "@/api/groups";
import { keys } from "@/api/query-keys";
import { fetchTemplateIndex } from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyFailed } from "@/ui/notify";

const SHOWN_MAX = 100;
// stands for the group that does not exist yet; ids are numbers
const CREATE = "create";

export interface GroupPickerProps {
  readonly kind: "hostgroup" | "templategroup";
  readonly label: string;
  readonly value: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
  readonly error?: string | undefined;
  readonly canCreate?: boolean;
  readonly placeholder?: string;
}

export function GroupPicker(props: GroupPickerProps) {
  const { kind, label, value, onChange, error, canCreate = false, placeholder = "" } = props;
  const [search, setSearch] = useState("");
  const client = useQueryClient();
  const queryKey = kind === "hostgroup" ? keys.hostGroups : keys.templateGroups;
  const fetchGroups = kind === "hostgroup" ? fetchHostGroups : fetchTemplateGroups;
  const query = useQuery({ queryKey, queryFn: ({ signal }) => fetchGroups(signal) });
  const create = useMutation({
    mutationFn: (name: string) => createGroup(kind, name),
    onSuccess: async (id) => {
      await client.invalidateQueries({ queryKey });
      onChange([...value, id]);
      setSearch("");
    },
    onError: (failure) => notifyFailed(t("The group could not be created."), failure),
  });
  const name = search.trim();
  const data = useMemo(() => {
    const groups = query.data ?? [];
    const known = groups.map((group) => ({ value: group.groupid, label: group.name }));
    const offer = canCreate && name !== "" && !groups.some((group) => group.name === name);
    if (!offer) return known;
    return [...known, { value: CREATE, label: t("Create group “{name}”", { name }) }];
  }, [query.data, canCreate, name]);
  return (
    <MultiSelect
      label={label}
      data={data}
      value={[...value]}
      onChange={(ids) => {
        if (ids.includes(CREATE)) create.mutate(name);
        else onChange(ids);
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      limit={SHOWN_MAX}
      placeholder={value.length === 0 ? placeholder : ""}
      nothingFoundMessage={t("No such group")}
      error={error}
      withAsterisk={canCreate}
      hidePickedOptions
    />
  );
}

export interface TemplatePickerProps {
  readonly label: string;
  readonly value: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
  /** not offered: the template itself, those linked already */
  readonly without?: readonly Id[];
  readonly disabled?: boolean;
}

function useTemplateIndex() {
  return useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
  });
}

export function TemplatePicker(props: TemplatePickerProps) {
  const { label, value, onChange, without = [], disabled = false } = props;
  const query = useTemplateIndex();
  const templates = query.data ?? [];
  const data = templates
    .filter(({ templateid }) => !without.includes(templateid))
    .map(({ templateid, name }) => ({ value: templateid, label: name }));
  return (
    <MultiSelect
      label={label}
      data={data}
      value={[...value]}
      onChange={onChange}
      disabled={disabled}
      searchable
      limit={SHOWN_MAX}
      placeholder={value.length === 0 && !disabled ? t("Type to search") : ""}
      nothingFoundMessage={t("No such template")}
      hidePickedOptions
    />
  );
}
