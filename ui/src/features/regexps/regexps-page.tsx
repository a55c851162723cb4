// Global regular expressions: what has a name, to be used as @name in filters, functions and keys.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Regexp } from "@/api/regexps";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { summary } from "./expressions";
import { REGEXPS, useRegexp, useRegexps } from "./queries";
import { RegexpForm } from "./regexp-form";

export interface RegexpsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function RegexpsPage({ text, onText }: RegexpsPageProps) {
  const query = useRegexps();
  const navigate = useNavigate();
  const rows = useMemo(() => selectRegexps(query.data ?? [], text), [query.data, text]);
  return (
    <Page
      title={t("Regular expressions")}
      note={plural(rows.length, "1 regular expression", "{n} regular expressions")}
      actions={
        <NewButton
          call="regexp.create"
          onClick={() => void navigate({ to: "/regexps/$regexpid", params: { regexpid: "new" } })}
        >
          {t("New regular expression")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, expressions")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Regular expressions")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(regexp) => regexp.regexpid}
            onOpen={({ regexpid }) =>
              void navigate({ to: "/regexps/$regexpid", params: { regexpid } })
            }
            empty={
              <EmptyState
                title={
                  all.length === 0
                    ? t("There are no global regular expressions yet.")
                    : t("No regular expression matches.")
                }
              >
                {all.length === 0 ? (
                  <Link to="/regexps/$regexpid" params={{ regexpid: "new" }}>
                    {t("Create the first one")}
                  </Link>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
    </Page>
  );
}

function selectRegexps(regexps: readonly Regexp[], text: string): readonly Regexp[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return regexps;
  return regexps.filter(({ name, expressions }) => {
    const content = [name, ...expressions.map((it) => it.expression)].join("\n").toLowerCase();
    return words.every((word) => content.includes(word));
  });
}

const COLUMNS: readonly DataColumn<Regexp>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (regexp) => regexp.name,
    cell: ({ regexpid, name }) => (
      <Link className="ellipsis" to="/regexps/$regexpid" params={{ regexpid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "expressions",
    title: t("Expressions"),
    width: "minmax(220px, 3fr)",
    cell: ({ expressions }) => <span className="ellipsis">{summary(expressions)}</span>,
  },
];

export interface RegexpPageProps {
  readonly regexpid: string;
  readonly onDone: () => void;
}

export function RegexpPage({ regexpid, onDone }: RegexpPageProps) {
  return (
    <ObjectPage id={regexpid} audited="regexp" words={REGEXPS.words} query={useRegexp(regexpid)}>
      {(regexp) => <RegexpForm key={regexpid} regexp={regexp} onDone={onDone} />}
    </ObjectPage>
  );
}
