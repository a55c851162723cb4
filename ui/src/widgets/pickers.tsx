// Pickers of hosts, groups and templates by name. Of groups and templates only the best hits are drawn; hosts,
// of which there may be a hundred thousand, are looked up by the server.

import { MultiSelect } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { changed } from "@/api/changes";
import { createGroup, fetchHostGroups, fetchTemplateGroups } from "@/api/groups";
import { fetchHostNames, searchHostNames } from "@/api/host-names";
import { keys } from "@/api/query-keys";
import { fetchTemplateIndex } from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyFailed } from "@/ui/notify";
import { useMayCall } from "@/ui/rights";

const SHOWN_MAX = 100;
// stands for the group that does not exist yet; ids are numbers
const CREATE = "create";

export interface HostPickerProps {
  readonly label: string;
  readonly value: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
  readonly error?: string | undefined;
  readonly placeholder?: string;
}

const HOSTS_OFFERED = 50;

export function HostPicker(props: HostPickerProps) {
  const { label, value, onChange, error, placeholder = "" } = props;
  const [search, setSearch] = useState("");
  const text = search.trim();
  const found = useQuery({
    queryKey: keys.hostNames(text, HOSTS_OFFERED),
    queryFn: ({ signal }) => searchHostNames(text, HOSTS_OFFERED, signal),
    // what was found stays while one types on
    placeholderData: keepPreviousData,
  });
  const picked = useQuery({
    queryKey: keys.hostNamesOf(value),
    queryFn: ({ signal }) => fetchHostNames(value, signal),
    enabled: value.length > 0,
    placeholderData: keepPreviousData,
  });
  const data = useMemo(() => {
    const names = new Map(value.map((id) => [id, id]));
    for (const { hostid, name } of picked.data ?? []) {
      if (names.has(hostid)) names.set(hostid, name);
    }
    for (const { hostid, name } of found.data ?? []) names.set(hostid, name);
    return [...names].map(([id, name]) => ({ value: id, label: name }));
  }, [value, picked.data, found.data]);
  const offered = useMemo(() => new Set(found.data?.map((it) => it.hostid)), [found.data]);
  return (
    <MultiSelect
      aria-label={label}
      placeholder={value.length === 0 ? placeholder : ""}
      miw={200}
      data={data}
      error={error}
      // the server has searched
      filter={({ options }) => options.filter((it) => "value" in it && offered.has(it.value))}
      searchable
      clearable
      searchValue={search}
      onSearchChange={setSearch}
      value={[...value]}
      onChange={onChange}
      nothingFoundMessage={found.isPending ? t("Loading") : t("No such host")}
      hidePickedOptions
    />
  );
}

export interface GroupPickerProps {
  readonly kind: "hostgroup" | "templategroup";
  readonly label: string;
  readonly value: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
  readonly error?: string | undefined;
  readonly canCreate?: boolean;
  readonly placeholder?: string;
}

/** In a bar of filters the placeholder says what it is. */
function named(label: string, placeholder: string) {
  return label === "" ? { "aria-label": placeholder, miw: 150, maw: 300 } : { label };
}

export function GroupPicker(props: GroupPickerProps) {
  const { kind, label, value, onChange, error, placeholder = "" } = props;
  const may = useMayCall();
  const canCreate = props.canCreate === true && may(`${kind}.create`);
  const [search, setSearch] = useState("");
  const client = useQueryClient();
  const queryKey = kind === "hostgroup" ? keys.hostGroups : keys.templateGroups;
  const fetchGroups = kind === "hostgroup" ? fetchHostGroups : fetchTemplateGroups;
  const query = useQuery({ queryKey, queryFn: ({ signal }) => fetchGroups(signal) });
  const create = useMutation({
    mutationFn: (name: string) => createGroup(kind, name),
    onSuccess: async (id) => {
      await changed(client, kind === "hostgroup" ? "hostgroup" : "templategroup");
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
      {...named(label, placeholder)}
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
      withAsterisk={props.canCreate === true}
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
  readonly placeholder?: string;
}

function useTemplateIndex() {
  return useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
  });
}

export function TemplatePicker(props: TemplatePickerProps) {
  const { label, value, onChange, without = [], disabled = false } = props;
  const { placeholder = t("Type to search") } = props;
  const query = useTemplateIndex();
  const templates = query.data ?? [];
  const data = templates
    .filter(({ templateid }) => !without.includes(templateid))
    .map(({ templateid, name }) => ({ value: templateid, label: name }));
  return (
    <MultiSelect
      {...named(label, placeholder)}
      data={data}
      value={[...value]}
      onChange={onChange}
      disabled={disabled}
      searchable
      limit={SHOWN_MAX}
      placeholder={value.length === 0 && !disabled ? placeholder : ""}
      nothingFoundMessage={t("No such template")}
      hidePickedOptions
    />
  );
}
