// Objects by name, looked up by the server as one types.

import { MultiSelect, Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { fetchOffers, type OfferKind } from "@/api/widgets";
import { t } from "@/lib/i18n";

export interface OfferPickerProps {
  readonly kind: OfferKind;
  readonly label: string;
  readonly value: readonly Id[];
  readonly many: boolean;
  readonly ownerid: Id | undefined;
  readonly onChange: (ids: readonly Id[]) => void;
}

const OFFERED = 50;

export function OfferPicker(props: OfferPickerProps) {
  const { kind, label, value, many, ownerid, onChange } = props;
  const [search, setSearch] = useState("");
  const text = search.trim();
  const found = useQuery({
    queryKey: keys.widget("offers", [kind, text, ownerid]),
    queryFn: ({ signal }) => fetchOffers(kind, { search: text, ownerid, limit: OFFERED }, signal),
    placeholderData: keepPreviousData,
  });
  const named = useQuery({
    queryKey: keys.widget("offered", [kind, value]),
    queryFn: ({ signal }) => fetchOffers(kind, { ids: value, limit: value.length }, signal),
    enabled: value.length > 0,
    placeholderData: keepPreviousData,
  });
  const data = useMemo(() => {
    const names = new Map(value.map((id) => [id, `#${id}`]));
    for (const { id, name } of named.data ?? []) if (names.has(id)) names.set(id, name);
    for (const { id, name } of found.data ?? []) if (!names.has(id)) names.set(id, name);
    return [...names].map(([id, name]) => ({ value: id, label: name }));
  }, [value, named.data, found.data]);
  const common = {
    label,
    data,
    searchable: true,
    clearable: true,
    limit: OFFERED + value.length,
    // the server has searched
    filter: ({ options }: { options: unknown[] }) => options as never,
    nothingFoundMessage: found.isPending ? t("Loading") : t("Nothing found"),
    placeholder: value.length === 0 ? t("Type to search") : "",
  };
  if (many) {
    return (
      <MultiSelect
        {...common}
        value={[...value]}
        searchValue={search}
        onSearchChange={setSearch}
        onChange={onChange}
        hidePickedOptions
      />
    );
  }
  const [picked] = value;
  const shown = data.find((it) => it.value === picked)?.label ?? "";
  return (
    <Select
      {...common}
      value={picked ?? null}
      onSearchChange={(next) => setSearch(next === shown ? "" : next)}
      onChange={(id) => onChange(id === null ? [] : [id])}
    />
  );
}
