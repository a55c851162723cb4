// Global regular expressions: what has a name, to be used as @name in filters, functions and keys.

import type { Regexp } from "@/api/regexps";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { summary } from "./expressions";
import { REGEXPS, useRegexp, useRegexps } from "./queries";
import { RegexpForm } from "./regexp-form";

const PATH = "/regexps/$regexpid";

export function RegexpsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Regular expressions")}
      note={(rows) => plural(rows.length, "1 regular expression", "{n} regular expressions")}
      calls={REGEXPS}
      query={useRegexps()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names, expressions") }}
      none={t("There are no global regular expressions yet.")}
    />
  );
}

const idOf = ({ regexpid }: Regexp) => regexpid;

function select(all: readonly Regexp[], finds: Matcher): readonly Regexp[] {
  return all.filter(({ name, expressions }) =>
    finds(() => [name, ...expressions.map(({ expression }) => expression)]),
  );
}

const COLUMNS: readonly DataColumn<Regexp>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
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
