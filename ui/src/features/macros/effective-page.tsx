// The macros of a host or template as they count there, each with where its value comes from and what it hides.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { fetchHost } from "@/api/hosts";
import { fetchGlobalMacros, fetchTemplateMacros } from "@/api/macros";
import { keys } from "@/api/query-keys";
import { TEMPLATES } from "@/api/templates";
import { plural, t } from "@/lib/i18n";
import { type Owner, ownerPath } from "@/lib/owner";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { May } from "@/ui/rights";
import { ObjectList } from "@/widgets/objects/object-list";
import { type EffectiveMacro, effectiveMacros, type LevelMacro, levelsOf } from "./levels";

export function EffectiveMacrosPage({ owner }: { readonly owner: Owner }) {
  const { kind, id } = owner;
  const [text, setText] = useState("");
  const query = useQuery({
    queryKey: keys.macroLevels(kind, id),
    queryFn: async ({ signal }) => {
      const holder =
        kind === "host" ? await fetchHost(id, signal) : await TEMPLATES.one(id, signal);
      const linked = holder?.parentTemplates.map(({ templateid }) => templateid) ?? [];
      const [inherited, global] = await Promise.all([
        fetchTemplateMacros(linked, signal),
        fetchGlobalMacros(signal),
      ]);
      return effectiveMacros(levelsOf(holder?.macros ?? [], inherited, global));
    },
  });
  return (
    <ObjectList
      title={t("Macros")}
      note={(rows) => plural(rows.length, "1 macro", "{n} macros")}
      query={query}
      select={select}
      columns={COLUMNS}
      rowKey={(it) => it.effective.macro}
      initialSort={{ by: "macro", descending: false }}
      actions={() => (
        <May call={`${kind}.update`}>
          <Link to={ownerPath(owner, "configuration")}>{t("Edit own macros")}</Link>
        </May>
      )}
      search={{ text, onText: setText, placeholder: t("Search names, values, sources") }}
      none={t("No macros apply here.")}
    />
  );
}

function select(all: readonly EffectiveMacro[], finds: Matcher): readonly EffectiveMacro[] {
  return all.filter(({ effective }) =>
    finds(() => [
      effective.macro,
      shownValue(effective),
      sourceName(effective),
      effective.description,
    ]),
  );
}

function shownValue({ type, value }: LevelMacro): string {
  return type === "1" ? "••••••" : value;
}

function sourceName({ source }: LevelMacro): string {
  if (source.kind === "template") return source.name;
  return source.kind === "own" ? t("own") : t("global");
}

function Source({ macro }: { readonly macro: LevelMacro }) {
  const { source } = macro;
  if (source.kind === "global") return <Link to="/macros">{t("global")}</Link>;
  if (source.kind === "own") return <strong>{t("own")}</strong>;
  return (
    <Link
      className="ellipsis"
      to="/templates/$templateid/macros"
      params={{ templateid: source.templateid }}
    >
      {source.name}
    </Link>
  );
}

function hiddenText({ hidden }: EffectiveMacro): string {
  return hidden.map((it) => `${sourceName(it)}: ${shownValue(it)}`).join("; ");
}

const COLUMNS: readonly DataColumn<EffectiveMacro>[] = [
  {
    id: "macro",
    title: t("Macro"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.effective.macro,
    cell: (it) => <span className="ellipsis mono">{it.effective.macro}</span>,
  },
  {
    id: "value",
    title: t("Value"),
    width: "minmax(120px, 1fr)",
    sortValue: (it) => shownValue(it.effective),
    cell: (it) => (
      <span className="ellipsis" title={shownValue(it.effective)}>
        {shownValue(it.effective)}
      </span>
    ),
  },
  {
    id: "source",
    title: t("From"),
    width: "minmax(120px, 0.8fr)",
    sortValue: (it) => sourceName(it.effective),
    cell: (it) => <Source macro={it.effective} />,
  },
  {
    id: "hidden",
    wideOnly: true,
    title: t("Overridden value"),
    width: "minmax(140px, 1fr)",
    sortValue: hiddenText,
    cell: (it) => (
      <span className="ellipsis dim" title={hiddenText(it)}>
        {hiddenText(it)}
      </span>
    ),
  },
  {
    id: "description",
    wideOnly: true,
    title: t("Description"),
    width: "minmax(140px, 1.2fr)",
    cell: (it) => <span className="ellipsis dim">{it.effective.description}</span>,
  },
];
