// Fields of the editor's panels.

import { Select, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchTriggerNames, searchTriggerNames } from "@/api/actions";
import { fetchHostNames, searchHostNames } from "@/api/host-names";
import { fetchLinkItem, type ImageRow, imageAddress, searchLinkItems } from "@/api/maps";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import classes from "./maps.module.css";

export interface ColorFieldProps {
  readonly label: string;
  /** six hexadecimal digits, or none where that means something */
  readonly value: string;
  readonly onChange: (color: string) => void;
}

export function ColorField({ label, value, onChange }: ColorFieldProps) {
  const isColor = /^[0-9a-f]{6}$/i.test(value);
  return (
    <TextInput
      label={label}
      value={value}
      maxLength={6}
      classNames={{ input: "mono" }}
      error={isColor || value === "" ? null : t("six hexadecimal digits")}
      onChange={(event) => onChange(event.currentTarget.value.replace("#", ""))}
      rightSection={
        <input
          className={classes["swatch"]}
          type="color"
          aria-label={t("Pick: {label}", { label })}
          value={isColor ? `#${value}` : "#ffffff"}
          onChange={(event) => onChange(event.currentTarget.value.slice(1).toUpperCase())}
        />
      }
    />
  );
}

export interface NumberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Whole numbers, as texts: so the API has them. */
export function NumberField({ label, value, onChange }: NumberFieldProps) {
  return (
    <TextInput
      label={label}
      value={value}
      inputMode="numeric"
      onChange={(event) => onChange(event.currentTarget.value.replace(/[^0-9]/g, ""))}
    />
  );
}

export interface CodeFieldProps {
  readonly label: string;
  readonly value: string;
  /** code and name */
  readonly codes: readonly (readonly [string, string])[];
  readonly onChange: (code: string) => void;
}

export function CodeField({ label, value, codes, onChange }: CodeFieldProps) {
  return (
    <Select
      label={label}
      data={codes.map(([code, name]) => ({ value: code, label: name }))}
      value={value}
      onChange={(code) => onChange(code ?? value)}
      allowDeselect={false}
    />
  );
}

export interface ImageFieldProps {
  readonly label: string;
  readonly value: Id;
  readonly images: readonly ImageRow[];
  /** "1" icons, "2" backgrounds */
  readonly kind: "1" | "2";
  /** what no image means; without it there has to be one */
  readonly none?: string;
  readonly error?: string | undefined;
  /** the label is for readers of the screen alone */
  readonly hidden?: boolean;
  readonly onChange: (imageid: Id) => void;
}

const IMAGES_SHOWN = 60;

export function ImageField(props: ImageFieldProps) {
  const { label, value, images, kind, none, error, hidden = false, onChange } = props;
  const known = images.filter(({ imagetype }) => imagetype === kind);
  const data = known.map(({ imageid, name }) => ({ value: imageid, label: name }));
  const picked = known.some(({ imageid }) => imageid === value);
  return (
    <Select
      {...(hidden ? { "aria-label": label } : { label })}
      data={none === undefined ? data : [{ value: "0", label: none }, ...data]}
      value={picked || value === "0" ? (value === "0" && none === undefined ? null : value) : null}
      searchable
      limit={IMAGES_SHOWN}
      error={error ?? null}
      onChange={(id) => onChange(id ?? "0")}
      allowDeselect={none !== undefined}
      leftSection={
        picked ? <img className={classes["preview"]} src={imageAddress(value)} alt="" /> : undefined
      }
      renderOption={({ option }) => (
        <>
          {option.value === "0" ? null : (
            <img
              className={classes["thumb"]}
              src={imageAddress(option.value)}
              alt=""
              loading="lazy"
            />
          )}
          <span>{option.label}</span>
        </>
      )}
    />
  );
}

export interface OnePickerProps {
  readonly label: string;
  readonly value: Id;
  readonly error?: string | undefined;
  readonly onChange: (id: Id) => void;
}

const OFFERED = 50;

interface Looked {
  readonly id: Id;
  readonly name: string;
}

interface LookedUpProps extends OnePickerProps {
  readonly nothing: string;
  readonly found: { readonly data: readonly Looked[] | undefined; readonly isPending: boolean };
  readonly own: string | undefined;
  readonly search: string;
  readonly onSearch: (text: string) => void;
}

/** One of very many: the server searches. */
function LookedUp(props: LookedUpProps) {
  const { label, value, error, onChange, nothing, found, own, search, onSearch } = props;
  const all = new Map((found.data ?? []).map((it) => [it.id, it.name]));
  if (value !== "") all.set(value, own ?? value);
  return (
    <Select
      label={label}
      data={[...all].map(([id, name]) => ({ value: id, label: name }))}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      searchable
      searchValue={search}
      onSearchChange={onSearch}
      error={error ?? null}
      filter={({ options }) => options}
      placeholder={t("Type to search")}
      nothingFoundMessage={found.isPending ? t("Loading") : nothing}
    />
  );
}

export function HostField(props: OnePickerProps) {
  const [search, setSearch] = useState("");
  const picked = useQuery({
    queryKey: keys.hostNamesOf([props.value]),
    queryFn: ({ signal }) => fetchHostNames([props.value], signal),
    enabled: props.value !== "",
  });
  const own = picked.data?.[0]?.name;
  // the name of what is picked is no search
  const text = search.trim() === own ? "" : search.trim();
  const found = useQuery({
    queryKey: keys.hostNames(text, OFFERED),
    queryFn: ({ signal }) => searchHostNames(text, OFFERED, signal),
    placeholderData: keepPreviousData,
  });
  const looked = found.data?.map(({ hostid, name }) => ({ id: hostid, name }));
  return (
    <LookedUp
      {...props}
      nothing={t("No such host")}
      found={{ data: looked, isPending: found.isPending }}
      own={own}
      search={search}
      onSearch={setSearch}
    />
  );
}

export function TriggerField(props: OnePickerProps) {
  const [search, setSearch] = useState("");
  const picked = useQuery({
    queryKey: keys.triggerNamesOf([props.value]),
    queryFn: ({ signal }) => fetchTriggerNames([props.value], signal),
    enabled: props.value !== "",
  });
  const own = picked.data?.[0]?.name;
  const text = search.trim() === own ? "" : search.trim();
  const found = useQuery({
    queryKey: keys.triggerNames(text),
    queryFn: ({ signal }) => searchTriggerNames(text, OFFERED, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <LookedUp
      {...props}
      nothing={t("No such trigger")}
      found={found}
      own={own}
      search={search}
      onSearch={setSearch}
    />
  );
}

/** The item that a link looks by; undefined while it is not known. */
export function useLinkItem(itemid: Id) {
  const { data } = useQuery({
    queryKey: keys.linkItem(itemid),
    queryFn: ({ signal }) => fetchLinkItem(itemid, signal),
    enabled: itemid !== "" && itemid !== "0",
  });
  return data ?? undefined;
}

export function ItemField(props: OnePickerProps) {
  const [search, setSearch] = useState("");
  const own = useLinkItem(props.value)?.name;
  const text = search.trim() === own ? "" : search.trim();
  const found = useQuery({
    queryKey: keys.linkItems(text),
    queryFn: ({ signal }) => searchLinkItems(text, OFFERED, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <LookedUp
      {...props}
      nothing={t("No such item")}
      found={found}
      own={own}
      search={search}
      onSearch={setSearch}
    />
  );
}
